#include <fmt/format.h>

#include <iostream>
#include <new>

#include "app/commands.hpp"
#include "base/errors.hpp"
#include "fem/parallel.hpp"
#include "output/log.hpp"

namespace {

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
    case Command::info:
      return kurbel::run_info(args);
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto args = kurbel::parse_command_line(argc, argv, std::cout);
    if (!args) return 0;
    kurbel::configure_log({.quiet = args->quiet});
    kurbel::fem::leave_one_blas_thread();
    if (args->threads > 0) kurbel::fem::set_threads(args->threads);
    return run(*args);
  } catch (const kurbel::InputError& e) {
    kurbel::log_error(e.what());
    return 2;
  } catch (const std::bad_alloc&) {
    kurbel::log_error("out of memory; use a coarser mesh");
    return 3;
  } catch (const std::exception& e) {
    kurbel::log_error(fmt::format("internal error: {}", e.what()));
    return 3;
  }
}
