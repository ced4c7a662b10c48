#include "fem/petsc_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/errors.hpp"
#include "fem/blas_kernels.hpp"
#include "fem/processes.hpp"

namespace kurbel::fem {

namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // bytes of a message: MPI counts in int

/// PETSc's account of the last error, from where it occurred.
std::string& petsc_message() {
  static std::string message;
  return message;
}

PetscErrorCode keep_message(MPI_Comm, int line, const char* function, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL)
    petsc_message() =
        fmt::format("{} (line {}): {}", function ? function : "?", line, message ? message : "");
  return code;
}

}  // namespace

void require_petsc(PetscErrorCode code) {
  if (code == 0) return;
  if (code == PETSC_ERR_MEM) throw std::bad_alloc();
  if (code == PETSC_ERR_ARG_UNKNOWN_TYPE)  // the program's own types are known
    throw InputError(
        fmt::format("PETSc: {}; the environment variable PETSC_OPTIONS asks for it", petsc_message()));
  throw std::runtime_error("PETSc: " + petsc_message());
}

PetscSession& PetscSession::instance() {
  static PetscSession session;
  return session;
}

void PetscSession::start(bool all) {
  const std::lock_guard lock(mutex_);
  if (is_running_) return;
  int has_mpi = 0, provided = 0;
  MPI_Initialized(&has_mpi);
  began_mpi_ = !has_mpi;
  if (has_mpi)
    MPI_Query_thread(&provided);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED)
    throw std::runtime_error("MPI does not allow calls from several threads (MPI_THREAD_SERIALIZED)");
  processes_ = all ? MPI_COMM_WORLD : MPI_COMM_SELF;
  MPI_Comm_rank(processes_, &rank_);
  MPI_Comm_size(processes_, &size_);
  PetscBool has_petsc = PETSC_FALSE;
  PetscInitialized(&has_petsc);
  began_petsc_ = !has_petsc;
  if (began_petsc_) {
    PETSC_COMM_WORLD = processes_;
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");  // the program has its own
    if (PetscInitializeNoArguments() != 0) abort("PETSc does not start", 3);
  }
  PetscPushErrorHandler(keep_message, nullptr);
  is_running_ = true;
  if (!all) std::atexit([] { instance().finish(); });
}

void PetscSession::finish() {
  const std::lock_guard lock(mutex_);
  if (!is_running_) return;
  is_running_ = false;
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended) return;
  served_.clear();
  if (began_petsc_) PetscFinalize();
  if (began_mpi_) MPI_Finalize();
}

void PetscSession::abort(const char* what, int code) const {
  std::fprintf(stderr, "error: process %d of %d: %s\n", rank_, size_, what);
  std::fflush(nullptr);
  MPI_Abort(processes_, code);
  std::abort();
}

void PetscSession::abort_of_exception() const {
  try {
    throw;
  } catch (const InputError& e) {
    abort(e.what(), 2);
  } catch (const std::bad_alloc&) {
    abort("out of memory; start more processes on more machines, or use a coarser mesh", 3);
  } catch (const std::exception& e) {
    abort(e.what(), 3);
  }
}

/// The order goes by a broadcast that does not block, so that who waits for it may sleep.
void PetscSession::order(const PetscOrder& order, const std::function<void()>& own_part) {
  const std::lock_guard lock(mutex_);
  PetscOrder sent = order;
  if (size_ > 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&sent, sizeof sent, MPI_BYTE, 0, processes_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (size_ == 1) return own_part();
  try {
    own_part();
  } catch (...) {
    abort_of_exception();
  }
}

PetscOrder PetscSession::next_order() const {
  PetscOrder order{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, processes_, &request);
  using Microseconds = std::chrono::microseconds;
  Microseconds pause{1};
  for (int is_there = 0;;) {
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (is_there) return order;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, Microseconds{500});
  }
}

int PetscSession::serve() {
  try {
    for (;;) {
      const PetscOrder order = next_order();
      if (order.kind == PetscOrder::Kind::end) return order.argument;
      carry_out(order);
    }
  } catch (...) {
    abort_of_exception();
  }
}

void PetscSession::carry_out(const PetscOrder& order) {
  Served& body = served_[order.body];
  switch (order.kind) {
    case PetscOrder::Kind::make:
      make(body);
      break;
    case PetscOrder::Kind::update:
      update(body, order.argument != 0);
      break;
    case PetscOrder::Kind::multiply:
      for (int c = 0; c < order.argument; ++c) body.rows->multiply(nullptr, nullptr);
      break;
    case PetscOrder::Kind::precondition:
      for (int c = 0; c < order.argument; ++c) body.rows->precondition(nullptr, nullptr);
      break;
    case PetscOrder::Kind::solve:
      for (int c = 0; c < order.argument; ++c) body.rows->solve(nullptr, nullptr, order.tolerance);
      break;
    case PetscOrder::Kind::memory:
      body.rows->memory();
      break;
    case PetscOrder::Kind::discard:
      served_.erase(order.body);
      break;
    case PetscOrder::Kind::end:
      break;
  }
}

void PetscSession::make(Served& body) const {
  StiffnessShare share;
  std::vector<int> dim;
  receive(dim);
  share.dim = dim.at(0);
  for (std::vector<int>* part : {&share.node_begin, &share.vertex_begin, &share.ends, &share.corner_begin,
                                 &share.corners, &share.class_of})
    receive(*part);
  receive(share.positions);
  receive(body.matrix_size);
  body.rows = std::make_unique<StiffnessRows>(processes_, std::move(share));
}

void PetscSession::update(Served& body, bool with_matrices) const {
  std::vector<double> E;
  std::vector<int> springs;
  receive(E);
  if (with_matrices) receive(body.matrices);
  broadcast(springs);
  std::vector<const double*> matrices;
  std::size_t first = 0;
  for (const int size : body.matrix_size) {
    matrices.push_back(body.matrices.data() + first);
    first += static_cast<std::size_t>(size);
  }
  body.rows->update(E, matrices, springs);
}

void PetscSession::send_bytes(const void* values, std::size_t n, std::size_t width, int to) const {
  const unsigned long long size = n;
  MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, to, 0, processes_);
  const char* bytes = static_cast<const char*>(values);
  for (std::size_t left = n * width; left > 0;) {
    const std::size_t count = std::min(left, piece);
    MPI_Send(bytes, static_cast<int>(count), MPI_BYTE, to, 0, processes_);
    bytes += count, left -= count;
  }
}

std::size_t PetscSession::receive_size() const {
  unsigned long long size = 0;
  MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, 0, processes_, MPI_STATUS_IGNORE);
  return size;
}

void PetscSession::receive_bytes(void* values, std::size_t n) const {
  char* bytes = static_cast<char*>(values);
  while (n > 0) {
    const std::size_t count = std::min(n, piece);
    MPI_Recv(bytes, static_cast<int>(count), MPI_BYTE, 0, 0, processes_, MPI_STATUS_IGNORE);
    bytes += count, n -= count;
  }
}

bool has_petsc() {
  return true;
}

std::optional<int> join_processes() {
  if (n_processes() <= 1) return {};
  PetscSession& session = PetscSession::instance();
  leave_one_blas_thread();
  session.start(true);
  if (session.rank() == 0) return {};
  const int exit_code = session.serve();
  session.finish();
  return exit_code;
}

void leave_processes(int exit_code) {
  PetscSession& session = PetscSession::instance();
  if (!session.is_running()) return;
  session.order({PetscOrder::Kind::end, 0, exit_code}, [] {});
  session.finish();
}

}  // namespace kurbel::fem
