#include "fixtures.hpp"

#include <stdexcept>

namespace kurbel::fem::test {

ReducedBody reduced(FlexibleBody& body, const VectorXd& rho) {
  ReducedBody out;
  if (const Status failure = body.reduce(rho, out); failure.failed())
    throw std::runtime_error(failure.message());
  return out;
}

}  // namespace kurbel::fem::test
