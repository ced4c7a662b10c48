#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/memory_of_runs.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "fem/blas_kernels.hpp"
#include "fem/processes.hpp"
#include "fem/stiffness_inverse.hpp"
#include "output/console.hpp"
#include "output/log.hpp"
#include "shape/shape_mesh.hpp"

namespace {

bool has_room_for_blas(int threads) {
  constexpr double megabyte = 1e6;
  const double needed = kurbel::address_space_of_blas(threads), available = kurbel::available_address_space();
  if (available >= needed) return true;
  kurbel::log_error(
      fmt::format("out of memory: the limit on the address space (ulimit -v) leaves {:.0f} MB, and {} "
                  "thread{} at least {:.0f} MB",
                  available / megabyte, threads, threads > 1 ? "s need" : " needs", needed / megabyte));
  return false;
}

int run(const kurbel::CommandLine& args) {
  using kurbel::Command;
  switch (args.command) {
    case Command::optimize:
      return kurbel::run_optimize(args);
    case Command::gradient:
      return kurbel::run_gradient(args);
    case Command::simulate:
      return kurbel::run_simulate(args);
    case Command::reduce:
      return kurbel::run_reduce(args);
    case Command::check:
      return kurbel::run_check(args);
    case Command::export_shape:
      return kurbel::run_export(args);
    case Command::verify:
      return kurbel::run_verify(args);
    case Command::report:
      return kurbel::run_report(args);
    case Command::study:
      return kurbel::run_study(args);
    case Command::converge:
      return kurbel::run_converge(args);
    case Command::import_robot:
      return kurbel::run_import(args);
    case Command::examples:
      return kurbel::run_examples(args);
    case Command::new_problem:
      return kurbel::run_new(args);
    case Command::info:
      return kurbel::run_info(args);
    case Command::schema:
      return kurbel::run_schema(args);
  }
  return 2;
}

/// The exit code of failures to print what is nowhere but on standard output.
int code_of_printing() {
  const auto failure = kurbel::Console::standard().failure();
  if (failure) kurbel::log_error(fmt::format("cannot write to standard output: {}", *failure));
  return failure ? 3 : 0;
}

/// @param text  ends with a newline
int print(std::string text) {
  text.pop_back();
  kurbel::Console::standard().print(text);
  return code_of_printing();
}

/// Writes no other results, unless one asks for numbers in a file.
bool only_prints(kurbel::Command command) {
  using kurbel::Command;
  return command == Command::check || command == Command::info || command == Command::schema ||
         command == Command::examples;
}

/// Does arithmetic, for which BLAS needs its buffers.
bool computes(kurbel::Command command) {
  using kurbel::Command;
  return command != Command::info && command != Command::schema && command != Command::examples &&
         command != Command::new_problem;
}

/// Processes that know nothing of each other would all write the same files.
void require_one_process_without_petsc() {
  const int n = kurbel::fem::n_processes();
  if (n == 1 || kurbel::fem::has_petsc()) return;
  throw kurbel::InputError(fmt::format("mpirun started {} processes, and {}, or start one without mpirun", n,
                                       kurbel::fem::without_petsc));
}

int run_program(int argc, char** argv) {
  try {
    require_one_process_without_petsc();
    std::ostringstream help;
    const auto args = kurbel::parse_command_line(argc, argv, help);
    if (!args) return print(help.str());
    kurbel::configure_log({.quiet = args->quiet});
    kurbel::fem::leave_one_blas_thread();
    if (args->threads > 0) kurbel::set_threads(args->threads);
    if (computes(args->command) && !has_room_for_blas(kurbel::threads())) return 3;
    const int code = run(*args);
    if (code == 0 && only_prints(args->command)) return code_of_printing();
    return code == 0 && !kurbel::log_is_complete() ? 3 : code;
  } catch (const kurbel::InputError& e) {
    kurbel::log_error(e.what());
    return 2;
  } catch (const kurbel::WriteError& e) {
    kurbel::log_error(fmt::format("{}; what was written before is kept", e.what()));
    return 3;
  } catch (const kurbel::ShapeFailure& e) {
    kurbel::log_error(e.what());
    return 3;
  } catch (const std::filesystem::filesystem_error& e) {
    // A name too long, a folder that may not be read: what no check has met before.
    kurbel::log_error(fmt::format("cannot use {}: {}", e.path1().string(), e.code().message()));
    return 2;
  } catch (const std::bad_alloc&) {
    kurbel::log_error("out of memory; use a coarser mesh, fewer time steps, or fewer nodes of controls");
    return 3;
  } catch (const std::exception& e) {
    kurbel::log_error(fmt::format("internal error: {}", e.what()));
    return 3;
  }
}

/// Called before the libraries are initialised: OpenBLAS starts its threads then.
[[gnu::section(".preinit_array"), gnu::used]] void (*block_before_threads)() = kurbel::block_ending_signals;

}  // namespace

int main(int argc, char** argv) {
  kurbel::let_failed_writes_fail();
  kurbel::fem::take_kernels_of_processor();
  // Signals stay blocked in processes that serve the first one: it ends them when it ends itself.
  if (const auto code_of_first = kurbel::fem::join_processes()) return *code_of_first;
  kurbel::take_ending_signals();
  const bool has_room = kurbel::available_address_space() >= kurbel::address_space_of_blas(kurbel::threads());
  const int code = run_program(argc, argv);
  kurbel::log_repeated_warnings();
  kurbel::fem::leave_processes(code);
  if (has_room) return code;
  // OpenBLAS's own threads, started before main(), may be asking for their buffers already, and the usual end would
  // wait for them.
  std::fflush(nullptr);
  std::_Exit(code);
}
