#include "floating_frame/system_quantity.hpp"

#include <gtest/gtest.h>

#include "test_models.hpp"

namespace kurbel {
namespace {

using Kind = SystemQuantity::Kind;

/// All numbers of the model with every feature that can be varied.
std::vector<SystemQuantity> all_quantities() {
  std::vector<SystemQuantity> all = {{Kind::mass, 2}, {Kind::rod_length, 4}};
  for (const Kind kind : {Kind::tyre_radius, Kind::tyre_stiffness, Kind::tyre_damping, Kind::tyre_friction,
                          Kind::tyre_slope, Kind::tyre_shape})
    all.push_back({kind, 1});
  for (int i = 0; i < 6; ++i) all.push_back({Kind::inertia, 2, 0, i});
  for (int i = 0; i < 3; ++i) {
    all.push_back({Kind::centre_of_mass, 2, 0, i});
    all.push_back({Kind::marker, 2, 1, i});
    all.push_back({Kind::ground_marker, 0, 0, i});
  }
  for (const std::size_t k : {0, 1}) {
    for (const Kind kind : {Kind::spring_stiffness, Kind::spring_damping, Kind::free_length,
                            Kind::torsion_stiffness, Kind::torsion_damping, Kind::free_angle})
      all.push_back({kind, k});
  }
  return all;
}

TEST(SystemQuantity, TakesTheValueItIsGivenAndLeavesAllOthers) {
  const std::vector<SystemQuantity> all = all_quantities();
  for (const SystemQuantity& varied : all) {
    SystemSpec spec = test::everything();
    std::vector<double> before;
    for (const SystemQuantity& quantity : all) before.push_back(value_of(quantity, spec));
    set_value(varied, 0.37, spec);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(value_of(all[i], spec), all[i] == varied ? 0.37 : before[i], 1e-15) << i;
  }
}

// The parameters are polynomials of second degree in each quantity: symmetric differences are exact.
TEST(SystemQuantity, PullbackIsTheTransposeOfTheParametersDerivative) {
  const SystemSpec spec = test::everything();
  const ParameterLayout layout(spec);
  const VectorXd p_bar =
      VectorXd::NullaryExpr(layout.size(), [](Eigen::Index i) { return std::sin(1.0 + i); });
  constexpr double h = 0.01;
  for (const SystemQuantity& quantity : all_quantities()) {
    SystemSpec plus = spec, minus = spec;
    set_value(quantity, value_of(quantity, spec) + h, plus);
    set_value(quantity, value_of(quantity, spec) - h, minus);
    const double expected = p_bar.dot(layout.values(plus) - layout.values(minus)) / (2.0 * h);
    EXPECT_NEAR(pullback(quantity, spec, layout, p_bar), expected, 1e-11)
        << static_cast<int>(quantity.kind) << " " << quantity.component;
  }
}

}  // namespace
}  // namespace kurbel
