#include "floating_frame/system_quantity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "quantity_pullback.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

using Kind = SystemQuantity::Kind;

SystemSpec everything_varied() {
  SystemSpec spec = test::with_every_parameter(test::everything());
  for (StopSpec& stop : spec.stops)
    stop.lower = std::max(stop.lower, -1.0);  // of none there are no differences
  return spec;
}

/// All numbers of the model with every feature that can be varied.
std::vector<SystemQuantity> all_quantities() {
  std::vector<SystemQuantity> all = {{Kind::mass, 2}};
  for (int i = 0; i < 6; ++i) all.push_back({Kind::inertia, 2, 0, i});
  for (int i = 0; i < 3; ++i) {
    all.push_back({Kind::centre_of_mass, 2, 0, i});
    all.push_back({Kind::marker, 2, 1, i});
    all.push_back({Kind::ground_marker, 0, 0, i});
  }
  for (const Kind kind : {Kind::initial_position, Kind::initial_rotation, Kind::initial_velocity,
                          Kind::initial_angular_velocity}) {
    for (int i = 0; i < 3; ++i) all.push_back({kind, 1, 0, i});
  }
  for (int i = 0; i < 5; ++i) all.push_back({Kind::drive_value, 2, 0, i});
  const SystemSpec spec = everything_varied();
  for (std::size_t row = 0; row < part_numbers().size(); ++row) {
    for (std::size_t part = 0; part < part_numbers()[row].n_parts(spec); ++part) {
      const auto n = static_cast<int>(values_in(part_numbers()[row], spec, part).size());
      for (int i = 0; i < n; ++i) all.push_back({Kind::part_number, part, row, i});
    }
  }
  return all;
}

TEST(SystemQuantity, TakesTheValueItIsGivenAndLeavesAllOthers) {
  const std::vector<SystemQuantity> all = all_quantities();
  for (const SystemQuantity& varied : all) {
    SystemSpec spec = everything_varied();
    std::vector<double> before;
    for (const SystemQuantity& quantity : all) before.push_back(value_of(quantity, spec));
    set_value(varied, 0.37, spec);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(value_of(all[i], spec), all[i] == varied ? 0.37 : before[i], 1e-15) << i;
  }
}

// The parameters are polynomials of second degree in each quantity: symmetric differences are exact.
TEST(SystemQuantity, HasTheDerivativesOfTheParameters) {
  const SystemSpec spec = everything_varied();
  const ParameterLayout layout(spec);
  const VectorXd p_bar =
      VectorXd::NullaryExpr(layout.size(), [](Eigen::Index i) { return std::sin(1.0 + i); });
  constexpr double h = 0.01;
  for (const SystemQuantity& quantity : all_quantities()) {
    SystemSpec plus = spec, minus = spec;
    set_value(quantity, value_of(quantity, spec) + h, plus);
    set_value(quantity, value_of(quantity, spec) - h, minus);
    const double expected = p_bar.dot(layout.values(plus) - layout.values(minus)) / (2.0 * h);
    EXPECT_NEAR(test::pullback(quantity, spec, layout, p_bar), expected, 1e-11)
        << static_cast<int>(quantity.kind) << " " << quantity.component;
  }
}

TEST(SystemQuantity, IsAParameterWhereItIsMadeOne) {
  SystemSpec spec = test::everything();
  spec.joints[2].drives = {test::table_drive(RelativeDof::ty, *spec.joints[2].drives[0].motion)};
  TableSpec& table = *spec.joints[2].drives[0].table;
  table.basis.reset();
  const Eigen::Index before = ParameterLayout(spec).size();
  make_parameter(SystemQuantity::of<&SpringSpec::stiffness>(0), spec);
  EXPECT_EQ(ParameterLayout(spec).size(), before);
  make_parameter({Kind::initial_velocity, 1, 0, 2}, spec);
  EXPECT_EQ(ParameterLayout(spec).size(), before + 3);
  make_parameter({Kind::drive_value, 2, 0, 1}, spec);
  make_parameter({Kind::drive_value, 2, 0, 3}, spec);
  EXPECT_EQ(ParameterLayout(spec).size(), before + 3 + 5);
}

}  // namespace
}  // namespace kurbel
