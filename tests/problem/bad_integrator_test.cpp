/// Methods that do not suit a formulation or a body, and how that is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "crank_text.hpp"
#include "every_key.hpp"
#include "mistake.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

TEST(BadIntegrator, TakesExplicitMethodsForMomenta) {
  const Mistake mistake{"", "formulation = \"semi-recursive\"", "formulation = \"joint-hamiltonian\"",
                        "integrator.method = \"trapezoidal\" does not go with momenta; take "
                        "\"runge-kutta-4\" or \"dormand-prince\"",
                        "method = \"trapezoidal\""};
  const std::string text = changed(mistake, cart_text);
  EXPECT_EQ(error_of(text), expected(mistake, text, "crank.toml"));
}

TEST(BadIntegrator, MovesFlexibleBodiesByImplicitMethodsInTheFloatingFrame) {
  EXPECT_THAT(
      error_of(crank_text, {"integrator.method=\"runge-kutta-4\"", "sensitivity.substeps=1"}),
      HasSubstr("bodies.crank is flexible; explicit methods are for rigid bodies: use integrator.method = "
                "\"generalized-alpha\""));
  EXPECT_THAT(
      error_of(crank_text, {"formulation=\"hamiltonian\"", "integrator.method=\"runge-kutta-4\"",
                            "sensitivity.substeps=1"}),
      HasSubstr("bodies.crank is flexible; the bodies of formulation = \"hamiltonian\" are rigid: use "
                "\"floating-frame\""));
}

TEST(BadIntegrator, KnowsKeysOfItsMethodAlone) {
  EXPECT_THAT(error_of(cart_text, {"integrator.tolerance=1e-6"}),
              HasSubstr("unknown key integrator.tolerance"));
  EXPECT_THAT(error_of(cart_text, {"integrator.method=\"dormand-prince\""}),
              HasSubstr("unknown key integrator.independent"));
  EXPECT_THAT(error_of(crank_text, {"integrator.method=\"runge-kutta-4\""}),
              HasSubstr("sensitivity.substeps"));
}

}  // namespace
}  // namespace kurbel
