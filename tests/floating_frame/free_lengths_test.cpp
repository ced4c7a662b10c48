/// Lengths that follow from the start, and their pull-back.
#include "floating_frame/free_lengths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "floating_frame/system_quantity.hpp"
#include "mechanism/spring_law.hpp"
#include "quantity_pullback.hpp"
#include "simulation.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using Kind = SystemQuantity::Kind;

/// A turned body, a beam and the ground with springs between them, and a rod.
SystemSpec tied() {
  SystemSpec spec;
  spec.ground = {make_sid_node("post", {0.1, 0.8, 0.2}, Matrix3d::Identity(), 0)};
  spec.bodies = {
      {"bob",
       test::rigid_sid_with_markers(2.0, Vector3d::Zero(), {0.02, 0.02, 0.02}, {0.1, 0, 0.3}, {0, 0.2, 0.1}),
       {}}};
  spec.bodies[0].initial.position << 0.4, -0.1, 0.2;
  spec.bodies[0].initial.rotation << 0.3, -0.2, 0.5;
  BeamSpec beam;
  beam.name = "bar", beam.n_elements = 3;
  beam.start << 1.0, 0.0, 0.0;
  beam.end << 1.5, 0.6, -0.2;
  spec.beams = {beam};
  const auto spring = [&](const char* name, const MarkerRef& from, const MarkerRef& to, double preload) {
    SpringSpec s;
    s.name = name, s.from = from, s.to = to, s.stiffness = 250.0, s.preload = preload;
    spec.springs.push_back(s);
  };
  spring("a", {"ground", "post"}, {"bob", "a"}, 30.0);
  spring("b", {"bob", "b"}, {"bar", "node1"}, -12.0);
  spring("c", {"ground"}, {"bar", "end"}, 0.0);
  spring("d", {"bob"}, {"bar", "start"}, 5.0);
  for (std::size_t i : {1u, 2u}) spec.springs[i].law = SpringLaw::green_lagrange;
  JointSpec rod;
  rod.name = "rod", rod.from = {"bob", "a"}, rod.to = {"ground", "post"}, rod.length = 0.0;
  rod.length_follows = true;
  spec.joints = {rod};
  return spec;
}

TEST(FreeLengths, LeaveThePreloadAtTheStart) {
  SystemSpec spec = tied();
  set_free_lengths(spec);
  for (const SpringSpec& s : spec.springs) {
    const double length = (*given_position(s.to, spec) - *given_position(s.from, spec)).norm();
    const double s0 = 0.5 * length * length,
                 force = length * spring_tension(s.law, s0, 0.0, s.stiffness, s.damping, s.free_length).phi;
    EXPECT_NEAR(force, *s.preload, 1e-12) << s.name;
  }
  EXPECT_NEAR(*given_position({"bar", "node1"}, spec)->begin(), 1.0 + 0.5 / 3.0, 1e-15);
  EXPECT_DOUBLE_EQ(*spec.joints[0].length,
                   (*given_position({"bob", "a"}, spec) - Vector3d(0.1, 0.8, 0.2)).norm());
}

TEST(FreeLengths, AreNotKnownWhereThereIsNoPlaceAtTheStart) {
  SystemSpec spec = tied();
  EXPECT_FALSE(given_position({"bob", "c"}, spec));
  EXPECT_FALSE(given_position({"bar", "node3"}, spec));
  EXPECT_FALSE(given_position({"bar"}, spec));
  EXPECT_FALSE(given_position({"rod"}, spec));
  spec.springs[0].to = {"bob", "c"};
  EXPECT_THROW(set_free_lengths(spec), InputError);
}

TEST(FreeLengths, RefuseACompressionThatTheGreenLagrangeStrainCannotReach) {
  SystemSpec spec = tied();
  const double length = (*given_position({"bar", "end"}, spec)).norm();
  spec.springs[2].preload = -0.51 * 250.0 * length;  // -0.5 where the free length is infinite
  EXPECT_THAT(input_error_message([&] { set_free_lengths(spec); }),
              testing::HasSubstr("spring c: no free length gives it this preload"));
}

TEST(FreeLengths, OfARodWhoseEndsMeetAreNone) {
  SystemSpec spec = tied();
  spec.joints[0].to = spec.joints[0].from;
  EXPECT_EQ(input_error_message([&] { set_free_lengths(spec); }), "joint rod: the rod has no length");
}

/// The beam is an arc, more than half a circle.
SystemSpec tied_to_an_arc() {
  SystemSpec spec = tied();
  spec.beams[0].kind = BeamSpec::Kind::spatial, spec.beams[0].side.setZero();
  spec.beams[0].through = Vector3d(1.2, 1.3, 0.4);
  return spec;
}

TEST(FreeLengths, AreKnownAtTheNodesOfAnArc) {
  const SystemSpec spec = tied_to_an_arc();
  EXPECT_LT((*given_position({"bar", "start"}, spec) - spec.beams[0].start).norm(), 1e-14);
  EXPECT_LT((*given_position({"bar", "end"}, spec) - spec.beams[0].end).norm(), 1e-14);
  EXPECT_GT(given_position({"bar", "node1"}, spec)->y(), 0.5);  // off the chord
}

class FreeLengthsOf : public testing::TestWithParam<SystemSpec (*)()> {};

// psi = sum of w l over all lengths, with the stiffness and every number that moves a place.
TEST_P(FreeLengthsOf, PullBackToTheirPlacesAndStiffnesses) {
  SystemSpec spec = GetParam()();
  std::vector<SystemQuantity> quantities;
  if (spec.beams[0].through) {
    for (int c = 0; c < 3; ++c) quantities.push_back(SystemQuantity::of<&BeamSpec::through>(0, c));
  }
  for (int c = 0; c < 3; ++c) {
    for (std::size_t part : {0u, 1u}) quantities.push_back({Kind::marker, 0, part, c});
    for (const Kind kind : {Kind::ground_marker, Kind::initial_position, Kind::initial_rotation})
      quantities.push_back({kind, 0, 0, c});
    quantities.push_back(SystemQuantity::of<&BeamSpec::start>(0, c));
    quantities.push_back(SystemQuantity::of<&BeamSpec::end>(0, c));
  }
  for (std::size_t i = 0; i < spec.springs.size(); ++i)
    quantities.push_back(SystemQuantity::of<&SpringSpec::stiffness>(i));
  for (const SystemQuantity& q : quantities) make_parameter(q, spec);
  const ParameterLayout layout(spec);
  const auto psi = [&](SystemSpec changed, VectorXd* bar) {
    set_free_lengths(changed);
    double sum = 1.7 * *changed.joints[0].length;
    if (bar) (*bar)[layout.rod_length(0)] = 1.7;
    for (std::size_t i = 0; i < changed.springs.size(); ++i) {
      const double weight = 1.0 + 0.6 * static_cast<double>(i);
      sum += weight * changed.springs[i].free_length;
      if (bar) (*bar)[layout.spring(i).free_length] = weight;
    }
    return sum;
  };
  VectorXd p_bar = VectorXd::Zero(layout.size());
  psi(spec, &p_bar);
  p_bar += free_length_derivatives(spec, layout).transpose() * p_bar;
  for (const SystemQuantity& q : quantities) {
    const double value = value_of(q, spec), h = 1e-5 * std::max(1.0, std::abs(value));
    const auto at = [&](double v) {
      SystemSpec changed = spec;
      set_value(q, v, changed);
      return psi(changed, nullptr);
    };
    EXPECT_NEAR(test::pullback(q, spec, layout, p_bar), (at(value + h) - at(value - h)) / (2.0 * h), 1e-8)
        << "kind " << static_cast<int>(q.kind) << ", component " << q.component;
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, FreeLengthsOf, testing::Values(&tied, &tied_to_an_arc),
                         [](const auto& info) { return info.index == 0 ? "Straight" : "Arc"; });

TEST(FreeLengths, OfRodsDoNotFollowWhereTheyVary) {
  SystemSpec spec = tied();
  make_parameter(SystemQuantity::of<&JointSpec::length>(0), spec);
  set_free_lengths(spec);
  EXPECT_EQ(*spec.joints[0].length, 0.0);
}

}  // namespace
}  // namespace kurbel
