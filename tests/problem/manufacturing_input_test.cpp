/// [bodies.*.manufacturing]: what is read, and what contradicts itself.
#include <gtest/gtest.h>

#include <numbers>

#include "bad_input.hpp"
#include "crank_text.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

/// The crank as a solid, which has three elastic coordinates more.
const std::vector<std::string> solid = {
    "bodies.crank.mesh={shape=\"box\",origin=[0,-0.02,-0.01],size=[0.2,0.04,0.02],divisions=[10,2,2]}",
    "bodies.crank.initial.q=[0,0,0,0,0,0,0,0,0]"};

fem::ManufacturingSpec read_in_3d(const std::string& manufacturing) {
  std::vector<std::string> overrides = solid;
  overrides.push_back("bodies.crank.manufacturing=" + manufacturing);
  const Problem problem = read_problem(TomlDocument::parse(crank_text, "crank.toml", ".", overrides));
  return problem.bodies.front().flexible.manufacturing;
}

TEST(ManufacturingInput, IsRead) {
  EXPECT_FALSE(read_problem(TomlDocument::parse(crank_text, "crank.toml", "."))
                   .bodies[0]
                   .flexible.manufacturing.has_map());
  const auto mould = read_in_3d("{extrusion=\"z\",casting={draw=\"-y\",sides=\"two\",parting=\"5 mm\"}}");
  EXPECT_EQ(mould.extrusion, 2);
  EXPECT_EQ(mould.casting->draw, (fem::AxisDirection{1, -1.0}));
  EXPECT_TRUE(mould.casting->two_sided);
  EXPECT_EQ(mould.casting->parting, 5e-3);
  EXPECT_FALSE(mould.overhang);
  const auto layers = read_in_3d("{overhang={build=\"x\",angle=\"50 deg\"}}");
  EXPECT_EQ(layers.overhang->build, (fem::AxisDirection{0, 1.0}));
  EXPECT_NEAR(layers.overhang->angle, 50.0 / 180.0 * std::numbers::pi, 1e-15);
  EXPECT_NEAR(read_in_3d("{overhang={build=\"x\"}}").overhang->angle, 0.25 * std::numbers::pi, 1e-15);
  EXPECT_FALSE(read_in_3d("{casting={draw=\"z\"}}").casting->two_sided);
}

struct Refused {
  const char* manufacturing;
  const char* message;
  const char* further = "";  ///< another override
};

void expect_refused(const std::vector<Refused>& mistakes, const std::vector<std::string>& overrides) {
  for (const Refused& mistake : mistakes) {
    std::vector<std::string> all = overrides;
    all.push_back(std::string("bodies.crank.manufacturing=") + mistake.manufacturing);
    if (*mistake.further) all.emplace_back(mistake.further);
    EXPECT_THAT(error_of(crank_text, all),
                HasSubstr(std::string("bodies.crank.manufacturing") + mistake.message));
  }
}

TEST(ManufacturingInput, IsRefusedInThePlane) {
  expect_refused(
      {
          {"{extrusion=\"z\"}", ".extrusion is for solids: a plane body has the same shape across its plane"},
          {"{casting={draw=\"-z\"}}", ".casting.draw leaves the plane of the body"},
          {"{overhang={build=\"z\"}}", ".overhang.build leaves the plane of the body"},
          {"{casting={draw=\"up\"}}",
           ".casting.draw = \"up\" is unknown; allowed: \"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\""},
          {"{casting={sides=\"two\"}}", ".casting.draw is missing; it must be one of x, y, z, -x, -y, -z"},
          {"{casting={draw=\"y\",parting=0.0}}", ".casting.parting = 0.0 needs sides = \"two\", not \"one\""},
          {"{casting={draw=\"y\",sides=\"two\",parting=0.02}}",
           ".casting.parting = 0.02 is outside of the body, which lies between -0.02 and 0.02 m along y"},
          {"{overhang={build=\"x\",angle=\"90 deg\"}}", ".overhang.angle"},
          {"{casting={draw=\"y\"},overhang={build=\"x\"}}",
           ".overhang contradicts casting: layers along x would take away what makes the body drawable along "
           "y. A body is "
           "either cast or printed"},
          {"{casting={draw=\"y\"}}", " needs filter.type = \"density\" or \"none\"",
           "filter.type=\"sensitivity\""},
          {"{casting={draw=\"y\"}}",
           ".casting contradicts plane 1 of its symmetry: a mirrored mould opens to both sides",
           "bodies.crank.symmetry={normal=[0,1]}"},
          {"{casting={draw=\"y\",sides=\"two\",parting=0.01}}",
           ".casting.parting = 0.01 contradicts plane 1 of its symmetry, which is at 0 m",
           "bodies.crank.symmetry={normal=[0,1]}"},
          {"{casting={draw=\"y\"}}",
           ".casting.draw contradicts plane 1 of its symmetry, which is oblique to y",
           "bodies.crank.symmetry={normal=[1,1]}"},
          {"{overhang={build=\"-x\"}}",
           ".overhang.build contradicts plane 1 of its symmetry: the mirrored half would hang from the plate",
           "bodies.crank.symmetry={point=[0.1,0],normal=[1,0]}"},
      },
      {});
}

TEST(ManufacturingInput, IsRefusedInSpace) {
  expect_refused(
      {
          {"{extrusion=\"-z\"}", ".extrusion"},
          {"{extrusion=\"z\",casting={draw=\"z\"}}", ".casting.draw is the axis of its extrusion"},
          {"{extrusion=\"x\",overhang={build=\"-x\"}}", ".overhang.build is the axis of its extrusion"},
          {"{extrusion=\"z\"}", ".extrusion contradicts plane 1 of its symmetry, which is oblique to z",
           "bodies.crank.symmetry={normal=[0,1,1]}"},
      },
      solid);
}

TEST(ManufacturingInput, BoundsMembersOfAProjectedDesign) {
  EXPECT_EQ(read_in_3d("{maximum_member=\"8 mm\"}").maximum_member, 8e-3);
  EXPECT_FALSE(read_in_3d("{maximum_member=\"8 mm\"}").has_map());
  expect_refused(
      {{"{maximum_member=0.0}", ".maximum_member"},
       {"{maximum_member=0.02}", ".maximum_member needs a projection: grey material has no members",
        "projection={type=\"none\"}"}},
      {});
}

TEST(RobustInput, IsRefusedWithoutWhatItNeeds) {
  const auto expect_refused = [](const std::vector<std::string>& overrides, const std::string& message) {
    EXPECT_THAT(error_of(crank_text, overrides), HasSubstr("projection.robust = " + message));
  };
  const std::string robust = "projection={type=\"heaviside\",robust=0.3}";
  expect_refused({robust, "filter.type=\"sensitivity\""},
                 "0.3 needs filter.type = \"density\" and type = \"heaviside\"");
  expect_refused({"projection={type=\"none\",robust=0.3}"}, "0.3 needs filter.type");
  expect_refused({robust, "projection.eta=0.25"},
                 "0.3 leads to thresholds outside (0, 1), because eta = 0.25");
  expect_refused({"projection.robust=0.5"}, "0.5 is outside [0, 0.5)");
}

TEST(ManufacturingInput, IsOfDensitiesThatVary) {
  const std::string variable =
      "variables={modulus={quantity=\"bodies.crank.material.youngs_modulus\",lower=1e11,upper=3e11}}";
  EXPECT_THAT(
      error_of(crank_text,
               {"bodies.crank.manufacturing={casting={draw=\"y\"}}", variable, "design.bodies=[]"}),
      HasSubstr("bodies.crank.manufacturing needs densities that vary; add this body to design.bodies"));
  // Another body that is designed changes nothing.
  const std::string plate =
      "bodies.plate={type=\"flexible\", clamp={x=0.0}, modes={normal=1}, symmetry={normal=[0.0,1.0]}, "
      "mesh={shape=\"rectangle\", origin=[0.0,-0.02], size=[0.2,0.04], divisions=[10,2], thickness=0.01}, "
      "material={youngs_modulus=2.1e11, poisson_ratio=0.3, density=7850.0}}";
  EXPECT_THAT(error_of(crank_text, {plate}),
              HasSubstr("bodies.plate.symmetry needs densities that vary; add this body to design.bodies"));
}

}  // namespace
}  // namespace kurbel
