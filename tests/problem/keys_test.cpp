/// The table of keys and the reader agree, and the pages made of it are those in docs/.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/files.hpp"
#include "keys/toml_reader.hpp"
#include "problem/key_groups.hpp"
#include "problem/key_reference.hpp"
#include "problem/key_schema.hpp"
#include "problem/problem.hpp"
#include "sid/sid_hdf5.hpp"
#include "tests/problem/arm_text.hpp"
#include "tests/problem/control_text.hpp"
#include "tests/problem/crank_text.hpp"
#include "tests/problem/every_key.hpp"
#include "tests/problem/natural_text.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content(const std::string& name) {
  std::ifstream file(std::string(KURBEL_SOURCE_DIR) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void read(const std::string& text, const std::string& folder = ".") {
  read_problem(TomlDocument::parse(text, "small.toml", folder));
}

/// "mesh.divisions (shape = box)" of every row of a group that was never read by.
void add_unread(const KeyGroup& group, const std::set<const Key*>& read, std::set<const KeyGroup*>& seen,
                std::vector<std::string>& unread) {
  if (!seen.insert(&group).second) return;
  const auto visit_forms = [&](const auto& self, const Forms& forms) -> void {
    for (const Form& form : forms) {
      if (form.group) add_unread(form.group(), read, seen, unread);
      self(self, form.elements);
    }
  };
  for (const Key& key : group.keys) {
    std::string name = group.name + "." + key.name;
    for (const KeyCondition& condition : key.conditions)
      name += ", " + condition.key + " = " + condition.words.front();
    if (!read.contains(&key)) unread.push_back(name);
    visit_forms(visit_forms, key.forms);
  }
  if (group.base) add_unread(group.base(), read, seen, unread);
}

// A key without a row is an error of the reader itself; a row that nothing reads by is found here.
TEST(Keys, AreAllReadByTheInputsOfTheRepositoryAndSmallOnes) {
  for (const fs::path& file : test::inputs())
    if (file.filename() != "crank_from_sid.toml") read_problem(file.string());
  for (const auto& entry : fs::directory_iterator(std::string(KURBEL_SOURCE_DIR) + "/tests/user_problems"))
    read_problem(entry.path().string());
  read(crank_text), read(control_text), read(std::string(arm_text) + motor_text);
  read(pushed_box_text), read(cart_text), read(natural_text),
      read(parts_text, std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks");
  const std::string waves = "profile = \"sine\"\namplitude = 0.01\nwavelength = 2.0\nstart = 0.7\n";
  read(std::string(cart_text).replace(cart_text.find(waves), waves.size(),
                                      "profile = \"table\"\nx = [0.0, 1.0]\nz = [0.0, 0.1]\n"));
  const std::string implicit = "method = \"trapezoidal\"\nindependent = [\"frame.tx\"]\n";
  read(std::string(cart_text).replace(cart_text.find(implicit), implicit.size(),
                                      "method = \"dormand-prince\"\ntolerance = 1e-6\n"));
  read_problem(test::input("five_bar.toml"),
               {"formulation=\"hamiltonian\"", "integrator.method=\"dormand-prince\"",
                "integrator.dense_output=true"});
  read_problem(
      test::input("spring_pendulum.toml"),
      {"integrator.method=\"generalized-alpha\"", "integrator.rho_inf=0.7", "optimizer.stop.progress=1e-4"});
  read_problem(test::input("spring_pendulum.toml"),
               {"integrator.method=\"variational-midpoint\"", "integrator.alpha=0.5"});
  read_problem(
      test::input("crank_with_holes.toml"),
      {"design.bodies=[]",
       "variables.outside={quantity=\"bodies.crank.mesh.surface\", lower=-1e-3, upper=1e-3, radius=4e-3, "
       "fixed=[{surface=1}], inward=[{surface=2}], distortion=4.0}"});
  const TemporaryFolder folder;
  write_text_file(folder / "held.csv", "t [s],drive.z [N]\n0,1\n1,1\n");
  read_problem(
      test::input("cart_stabilization.toml"),
      {"controls.force.start={file=\"" + (folder / "held.csv").string() + "\", column=\"drive.z\"}"});
  write_text_file(folder / "motion.csv", "t [s],angle [deg]\n0,0\n0.5,180\n");
  read_problem(test::input("flexible_crank_small.toml"),
               {"joints.bearing.drive={dof=\"rz\", type=\"table\", beyond=\"hold\", file=\"" +
                (folder / "motion.csv").string() + "\", column=\"angle\"}"});
  write_sid_file(folder / "sid.h5", {{"crank", Sid::zeros({"mode 1"}, {"pin"})}});
  read_problem(test::input("crank_from_sid.toml"),
               {"bodies.crank.file=\"" + (folder / "sid.h5").string() + "\"", "bodies.crank.body=crank",
                "bodies.crank.accept_indefinite=true"});
  for (const char* amplitude :
       {"\"p-norm\", exponent=8", "\"ks\", exponent=8", "\"at-frequency\", frequency=2"}) {
    read_problem(
        test::input("arm_in_pose.toml"),
        {"analysis=\"frequency-response\"",
         "loads.shake={marker=\"payload\", force=[0.0, {type=\"harmonic\", amplitude=1.0}, 0.0]}",
         "frequency_response={from=1, to=50, points=5, spacing=\"logarithmic\", growth=2}",
         fmt::format("objective={{type=\"position\", marker=\"forearm.hand\", amplitude={}}}", amplitude)});
  }
  std::set<const KeyGroup*> seen;
  std::vector<std::string> unread;
  add_unread(root_keys(), requested_rows(), seen, unread);
  // It is the document that reads this one, before there are tables.
  EXPECT_THAT(unread, testing::ElementsAre("input.include"));
}

/// A group for readers that do not agree with it.
const KeyGroup& small_keys() {
  using namespace keys;
  static const KeyGroup group{"small",
                              "a small file",
                              {
                                  {"count", integer(at_least(1)), "", defaults(3), "how many"},
                                  {"law", word({"linear", "cubic"}), "", defaults("linear"), "of what kind"},
                                  Key{"slope", number(), "", required, "of the line"}.when("law", {"linear"}),
                              }};
  return group;
}

class Disagreement : public testing::Test {
 protected:
  TomlTable table(const std::string& text) {
    document_ = TomlDocument::parse(text, "small.toml", ".");
    return TomlTable(document_, small_keys());
  }
  TomlDocument document_;
};

template <class Read>
std::string message_of(const Read& read) {
  try {
    read();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Disagreement, OfAKeyWithoutARowIsOurError) {
  const TomlTable small = table("count = 2");
  EXPECT_EQ(small.integer_or("count", 3), 2);
  EXPECT_THAT(message_of([&] { small.has("size"); }), HasSubstr("size has no row"));
}

TEST_F(Disagreement, OfTypesDefaultsAndWordsIsOurError) {
  const TomlTable small = table("law = \"cubic\"");
  EXPECT_THAT(message_of([&] { small.text("count"); }), HasSubstr("count has no row of what is read here"));
  EXPECT_THAT(message_of([&] { small.integer_or("count", 4); }), HasSubstr("count has another default"));
  EXPECT_THAT(message_of([&] { small.integer("count"); }), HasSubstr("count is required"));
  EXPECT_THAT(message_of([&] {
                small.choice<int>("law", {{"linear", 1}, {"square", 2}});
              }),
              HasSubstr("law has other words"));
  const TomlTable::Words<int> laws = {{"linear", 1}, {"cubic", 3}};
  EXPECT_EQ(small.choice<int>("law", laws), 3);
  EXPECT_THAT(message_of([&] { small.choice_or("law", 3, laws); }), HasSubstr("law has another default"));
}

TEST_F(Disagreement, OfConditionsIsOurError) {
  EXPECT_EQ(table("law = \"linear\"\nslope = 2").number("slope"), 2.0);
  EXPECT_EQ(table("slope = 2").number("slope"), 2.0);
  EXPECT_THAT(message_of([&] { table("law = \"cubic\"\nslope = 2").number("slope"); }),
              HasSubstr("slope has no row of what is read here"));
}

TEST(Keys, HaveTheUnitsOfWhatVaries) {
  EXPECT_EQ(unit_of_key(root_keys(), "springs.left.stiffness"), "N/m");
  EXPECT_EQ(unit_of_key(root_keys(), "bodies.crank.markers.pin.position"), "m");
  EXPECT_EQ(unit_of_key(root_keys(), "bodies.crank.material.youngs_modulus"), "Pa");
  EXPECT_EQ(unit_of_key(root_keys(), "bodies.crank.initial.angular_velocity"), "rad/s");
  EXPECT_EQ(unit_of_key(root_keys(), "points.hinge.position"), "m");
  EXPECT_EQ(unit_of_key(root_keys(), "beams.arm.section.width"), "m");
  EXPECT_EQ(unit_of_key(root_keys(), "beams.arm.poisson_ratio"), "");
  EXPECT_EQ(unit_of_key(root_keys(), "joints.elbow.damping"), "N m s/rad");
  EXPECT_EQ(unit_of_key(root_keys(), "nothing.of.this"), "");
}

TEST(Keys, MakeThePageInDocs) {
  EXPECT_TRUE(key_reference() + "\n" == content("docs/input_reference.md"))
      << "write it anew: build/kurbel schema --markdown > docs/input_reference.md";
}

TEST(Keys, MakeTheSchemaInDocs) {
  EXPECT_TRUE(key_schema() + "\n" == content("docs/kurbel.schema.json"))
      << "write it anew: build/kurbel schema > docs/kurbel.schema.json";
}

}  // namespace
}  // namespace kurbel
