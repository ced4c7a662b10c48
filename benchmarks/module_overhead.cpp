/// @file
/// Evaluates a problem with its gradients once for each line that it reads, and prints the processor time of each, in
/// nanoseconds: the C++ side of module_overhead.py. Usage: module_overhead FILE
#include <ctime>
#include <iostream>
#include <kurbel/kurbel.hpp>
#include <string>

namespace {

long long processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1'000'000'000LL * now.tv_sec + now.tv_nsec;
}

int run(const std::string& file) {
  kurbel::Study study = kurbel::Study::read(file);
  study.set_threads(1);
  const Eigen::VectorXd x = study.start();
  for (std::string line; std::getline(std::cin, line);) {
    const long long begin = processor_time();
    kurbel::Evaluation at;
    if (const kurbel::Status status = study.evaluate(x, at); status.failed())
      throw std::runtime_error(status.message());
    std::cout << processor_time() - begin << std::endl;
  }
  return 0;
}

}  // namespace

int main(int n, char** arguments) {
  try {
    kurbel::fem::take_kernels_of_processor();
    return n == 2 ? run(arguments[1]) : 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
