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
  const std::string explicit_steps = "integrator={t0=0.5, t1=2.0, step=0.01, method=\"runge-kutta-4\"}";
  EXPECT_THAT(
      error_of(crank_text, {explicit_steps, "sensitivity.substeps=1"}),
      HasSubstr("bodies.crank is flexible; explicit methods are for rigid bodies: use integrator.method = "
                "\"generalized-alpha\""));
  EXPECT_THAT(
      error_of(crank_text, {"formulation=\"hamiltonian\"", explicit_steps, "sensitivity.substeps=1"}),
      HasSubstr("bodies.crank is flexible; the bodies of formulation = \"hamiltonian\" are rigid: use "
                "\"floating-frame\""));
}

TEST(BadIntegrator, RefusesKeysOfOtherMethodsByName) {
  EXPECT_THAT(error_of(cart_text, {"integrator.tolerance=0.5"}),
              HasSubstr("integrator.tolerance = 0.5 needs integrator.method = \"dormand-prince\"; the method "
                        "is \"trapezoidal\""));
  EXPECT_THAT(error_of(cart_text, {"integrator.method=\"dormand-prince\""}),
              HasSubstr("needs integrator.method = \"trapezoidal\"; the method is \"dormand-prince\""));
  EXPECT_THAT(
      error_of(cart_text, {"integrator.rho_inf=0.5"}),
      HasSubstr("integrator.rho_inf = 0.5 needs integrator.method = \"generalized-alpha\"; the method "
                "is \"trapezoidal\""));
  EXPECT_THAT(error_of(crank_text, {"integrator.method=\"trapezoidal\""}),
              HasSubstr("integrator.rho_inf = 0.6 needs"));
  EXPECT_THAT(error_of(crank_text, {"integrator.method=\"runge-kutta-4\""}),
              HasSubstr("the method is \"runge-kutta-4\""));
}

TEST(BadIntegrator, RefusesNumbersOfNewtonsIterationBesideExplicitMethods) {
  for (const char* key : {"newton_tolerance=1e-9", "max_newton_iterations=7"}) {
    for (const char* method : {"runge-kutta-4", "dormand-prince"}) {
      EXPECT_THAT(
          error_of(cart_text,
                   {"formulation=\"joint-hamiltonian\"",
                    fmt::format("integrator={{t1=0.4, step=0.1, method=\"{}\", {}}}", method, key)}),
          HasSubstr(fmt::format(
              "needs an implicit method, whose steps Newton's iteration solves; \"{}\" is explicit", method)))
          << key;
    }
    EXPECT_EQ(error_of(cart_text, {fmt::format("integrator.{}", key)}), "no InputError") << key;
  }
}

}  // namespace
}  // namespace kurbel
