/// @file
/// MPI and PETSc in this process, and the orders by which the first process has the others take part in its work on
/// stiffnesses.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "fem/petsc_rows.hpp"

namespace kurbel::fem {

/// An order of the first process to all, about a body.
struct PetscOrder {
  enum class Kind : int { make, update, multiply, precondition, solve, memory, discard, end };
  Kind kind;
  int body = 0;
  /// Number of columns of `multiply`, `precondition` and `solve`; exit code of `end`; of `update`, 1 if matrices of elements
  /// come with it.
  int argument = 0;
  double tolerance = 0.0;  ///< of `solve`
};

/// The processes of this run; of one without mpirun, which starts when a body first needs it. In a program that has begun
/// MPI or PETSc itself, both are used as they are and left to it. Threads may call it, one after the other.
class PetscSession {
 public:
  static PetscSession& instance();

  /// @param all  whether the processes of mpirun belong together; otherwise this one is alone
  void start(bool all);
  bool is_running() const { return is_running_; }
  /// Ends MPI and PETSc. First process: after it gave the order.
  void finish();

  MPI_Comm processes() const { return processes_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// First process: has the others do this, and does its own part. An error in it ends all processes, because the others
  /// wait for the first; without others it is thrown.
  void order(const PetscOrder& order, const std::function<void()>& own_part);
  /// Other processes: serves until the order to end, and returns its exit code.
  int serve();

  template <class T>
  void send(const std::vector<T>& values, int to) const {
    send_bytes(values.data(), values.size(), sizeof(T), to);
  }
  template <class T>
  void receive(std::vector<T>& values) const {
    values.resize(receive_size());
    receive_bytes(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  void broadcast(std::vector<T>& values) const {
    unsigned long long size = values.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, processes_);
    values.resize(size);
    MPI_Bcast(values.data(), static_cast<int>(size * sizeof(T)), MPI_BYTE, 0, processes_);
  }

 private:
  struct Served {
    std::unique_ptr<StiffnessRows> rows;
    std::vector<int> matrix_size;  ///< entries of the matrix of every class
    std::vector<double> matrices;
  };
  PetscSession() = default;
  PetscOrder next_order() const;
  void carry_out(const PetscOrder& order);
  void make(Served& body) const;
  void update(Served& body, bool with_matrices) const;
  /// Ends all processes.
  [[noreturn]] void abort(const char* what, int code) const;
  /// The same, within a catch: says what is caught, and ends with its exit code.
  [[noreturn]] void abort_of_exception() const;
  void send_bytes(const void* values, std::size_t n, std::size_t width, int to) const;
  std::size_t receive_size() const;
  void receive_bytes(void* values, std::size_t n) const;

  MPI_Comm processes_ = MPI_COMM_SELF;
  int rank_ = 0, size_ = 1;
  bool is_running_ = false;
  bool began_mpi_ = false, began_petsc_ = false;  ///< here, so that they end here
  std::recursive_mutex mutex_;  ///< PETSc is for one thread at a time; bodies may be those of several
  std::map<int, Served> served_;
};

}  // namespace kurbel::fem
