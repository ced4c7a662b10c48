/// Analyses without time: every way to get their keys wrong.
#include "arm_text.hpp"
#include "beam_text.hpp"
#include "tests/input_error.hpp"
#include "tests/problem/mistake.hpp"

namespace kurbel {
namespace {

const std::string good = test::beam_text("static", R"([loads.pull]
marker = "beam.end"
force = [1.0, 0.0, 0.0]
[objective]
type = "displacement"
marker = "beam.end"
component = "x"
[bodies.beam.simp]
stiffness = "modified"
)");

const std::string good_frequency = test::beam_text("eigenfrequency", R"([objective]
type = "frequency"
body = "beam"
modes = [1, 3]
aggregate = "ks"
exponent = -1.0
)");

std::string error_of(const std::string& text) {
  return input_error_message([&] {
    const Problem problem = read_problem(TomlDocument::parse(text, "beam.toml", "."));
    require_simulation_problem(problem);
  });
}

TEST(Statics, NeedALoad) {
  EXPECT_EQ(error_of(test::beam_text("static", "")),
            "beam.toml:1: loads is missing; statics needs a load, [loads.NAME], or gravity");
}

TEST(Statics, NeedWhatHoldsABody) {
  std::string text = good;
  const std::size_t from = text.find("[bodies.beam.supports");
  text.erase(from, text.find("[bodies.beam.markers", from) - from);
  EXPECT_THAT(error_of(text),
              testing::HasSubstr("bodies.beam needs `supports` or `clamp`, which hold it at rest"));
}

TEST(Statics, RefuseBucklingLoadsOfABodyWhoseSurfaceMoves) {
  const std::string text = test::beam_text("static", R"([loads.pull]
marker = "beam.end"
force = [-1.0, 0.0, 0.0]
[objective]
type = "buckling-load"
body = "beam"
modes = 1
)" + test::surface);
  const std::string message = input_error_message([&] { test::study_of(text, {test::mesh_of_a_file()}); });
  EXPECT_THAT(
      message,
      testing::HasSubstr("moves the surface of beam, by which objective has no derivatives; remove either"));
}

TEST(Statics, RefuseASurfaceWithRigidTies) {
  const std::string text = test::beam_text("static", R"([loads.pull]
marker = "beam.end"
force = [1.0, 0.0, 0.0]
[objective]
type = "compliance"
body = "beam"
)" + test::surface);
  const std::string message = input_error_message([&] {
    test::study_of(text, {test::mesh_of_a_file(), "bodies.beam.markers.end.tie=rigid"});
  });
  EXPECT_THAT(message,
              testing::HasSubstr("cannot vary with rigid ties of markers; take tie = \"distributing\""));
}

class BadStatics : public testing::TestWithParam<Mistake> {};

TEST_P(BadStatics, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "beam.toml"));
}

const Mistake mistakes[] = {
    {"integrator", "[loads.pull]", "[integrator]\nt1 = 1.0\nstep = 0.1\n[loads.pull]",
     "integrator = {t1 = 1.0, step = 0.1} has no meaning with analysis = \"static\", which asks about "
     "flexible bodies alone",
     "[integrator]"},
    {"springs", "[loads.pull]", "[springs.coil]\nfrom = \"ground\"\n[loads.pull]",
     "springs = {coil = {from = \"ground\"}} has no meaning with analysis = \"static\", which asks about "
     "flexible bodies alone",
     "[springs.coil]"},
    {"rigid", "type = \"flexible\"", "type = \"rigid\"",
     "bodies.beam.type = \"rigid\" does not deform; analysis = \"static\" takes bodies of type \"flexible\"",
     "type = \"rigid\""},
    {"modes", "[bodies.beam.material]", "[bodies.beam.modes]\nnormal = 3\n[bodies.beam.material]",
     "bodies.beam.modes = {normal = 3} belongs to a motion, analysis = \"motion\"", "[bodies.beam.modes]"},
    {"time", "component = \"x\"", "component = \"x\"\ntime = \"final\"",
     "objective.time = \"final\" belongs to a motion, analysis = \"motion\"", "time = \"final\""},
    {"target_over_time", "component = \"x\"",
     "target = [{type = \"harmonic\", amplitude = 1.0, frequency = 1.0}, 0.0, 0.0]",
     "objective.target.0 = {type = \"harmonic\", amplitude = 1.0, frequency = 1.0} belongs to a motion; "
     "without one "
     "it is a number, or a list of numbers"},
    {"target_that_is_a_function", "component = \"x\"",
     "component = \"x\"\ntarget = {type = \"harmonic\", amplitude = 1.0, frequency = 1.0}",
     "objective.target = {type = \"harmonic\", amplitude = 1.0, frequency = 1.0} belongs to a motion; "
     "without one it "
     "is a number, or a list of numbers",
     "target = {"},
    {"moving_picture", "[loads.pull]", "[output]\nmotion = false\n[loads.pull]",
     "output.motion = false belongs to a motion, analysis = \"motion\"", "motion = false"},
    {"trajectory", "[loads.pull]", "[output]\ntrajectory = false\n[loads.pull]",
     "output.trajectory = false belongs to a motion, analysis = \"motion\"", "trajectory = false"},
    {"foreign_quantity", "type = \"displacement\"", "type = \"velocity\"",
     "objective.type = \"velocity\" does not exist in a static analysis; allowed: \"compliance\", "
     "\"displacement\", "
     "\"mass\", \"von-mises\", \"rotation\", \"buckling-load\""},
    {"load_over_time", "force = [1.0,", "force = [{type = \"harmonic\", amplitude = 1.0, frequency = 1.0},",
     "loads.pull.force.0 = {type = \"harmonic\", amplitude = 1.0, frequency = 1.0} is a function of time; "
     "with analysis = \"static\" a load is a number"},
    {"load_at_frame", "marker = \"beam.end\"\nforce", "marker = \"beam\"\nforce",
     "loads.pull.marker = \"beam\" is the frame of a body at rest; name a marker"},
    {"support_in_z", "fixed = [\"y\"]", "fixed = [\"z\"]",
     "bodies.beam.supports.corner.fixed = [\"z\"] has z; the body is plane and moves along x and y alone"},
    {"free_to_move", "[bodies.beam.supports.corner]\nx = 0.0\ny = 0.0\nfixed = [\"y\"]\n", "",
     "bodies.beam.supports: leave the body free to move as a rigid body; fix more of its nodes",
     "[bodies.beam.supports.wall]"},
    {"no_node", "y = 0.0\nfixed", "y = 0.1\nfixed",
     "bodies.beam.supports.corner: no node of the mesh lies there; the nearest node is at (0, 0, 0), 0.1 m "
     "away",
     "[bodies.beam.supports.corner]"},
    {"void_of_power", "stiffness = \"modified\"", "void_stiffness = 1e-6",
     "bodies.beam.simp.void_stiffness = 1e-06 needs stiffness = \"modified\" or \"ramp\", not \"power\", "
     "whose p^s has p_min in its place"},
    {"void_too_stiff", "stiffness = \"modified\"", "stiffness = \"modified\"\nvoid_stiffness = 1.0",
     "bodies.beam.simp.void_stiffness = 1.0 is outside (0, 1)", "void_stiffness"},
    {"factor_of_smooth", "stiffness = \"modified\"", "light_mass = \"smooth\"\nc = 1e5",
     "bodies.beam.simp.c = 100000.0 needs light_mass = \"power\", not \"smooth\"", "c = 1e5"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadStatics, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

class BadFrequencies : public testing::TestWithParam<Mistake> {};

TEST_P(BadFrequencies, AreRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good_frequency);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "beam.toml"));
}

const Mistake mistakes_of_frequencies[] = {
    {"loads", "[objective]", "[loads.pull]\nmarker = \"beam.end\"\nforce = [1.0, 0.0, 0.0]\n[objective]",
     "loads = {pull = {marker = \"beam.end\", force = [1.0, 0.0, 0.0]}} has no meaning with analysis = "
     "\"eigenfrequency\", which asks about flexible bodies alone",
     "[loads.pull]"},
    {"cases", "[objective]", "[cases.one]\n[cases.two]\n[objective]",
     "cases has no meaning with analysis = \"eigenfrequency\", which knows no loads", "[cases.one]"},
    {"mode_zero", "modes = [1, 3]", "modes = 0", "objective.modes = 0 is outside [1, 200]"},
    {"modes_that_descend", "modes = [1, 3]", "modes = [3, 1]",
     "objective.modes = [3, 1] must be the numbers of the first and of the last mode, counted from 1"},
    {"exponent_of_zero", "exponent = -1.0", "exponent = 0.0",
     "objective.exponent = 0.0 must be positive for a smooth maximum, negative for a smooth minimum"},
    {"exponent_without_aggregate", "aggregate = \"ks\"\n", "",
     "objective.exponent = -1.0 needs aggregate = \"ks\", not \"sum\"", "exponent"},
    {"exponent_of_a_sum", "aggregate = \"ks\"", "aggregate = \"sum\"",
     "objective.exponent = -1.0 needs aggregate = \"ks\", not \"sum\"", "exponent"},
    {"no_exponent", "exponent = -1.0\n", "", "objective.exponent is missing; it must be a number",
     "[objective]"},
    {"aggregate", "aggregate = \"ks\"", "aggregate = \"min\"",
     "objective.aggregate = \"min\" is unknown; allowed: \"sum\", \"ks\""},
    {"time", "modes = [1, 3]", "modes = [1, 3]\ntime = \"mean\"",
     "objective.time = \"mean\" belongs to a motion, analysis = \"motion\"", "time = \"mean\""},
    {"foreign_quantity", "type = \"frequency\"", "type = \"compliance\"",
     "objective.type = \"compliance\" does not exist in an analysis of eigenfrequencies; allowed: "
     "\"mass\", \"frequency\""},
    {"body", "body = \"beam\"\n", "body = \"bem\"\n",
     "objective.body = \"bem\" is no body; did you mean \"beam\"?"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadFrequencies, testing::ValuesIn(mistakes_of_frequencies),
                         [](const auto& info) { return info.param.name; });

const std::string good_modes =
    "analysis = \"modes\"\nformulation = \"floating-frame\"\n" + test::Arm().text(R"([objective]
type = "damping-ratio"
modes = [1, 2]
aggregate = "ks"
exponent = -10.0
)");

class BadModes : public testing::TestWithParam<Mistake> {};

TEST_P(BadModes, AreRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good_modes);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "beam.toml"));
}

const Mistake mistakes_of_modes[] = {
    {"integrator", "[objective]", "[integrator]\nt1 = 1.0\nstep = 0.1\n[objective]",
     "integrator = {t1 = 1.0, step = 0.1} has no meaning with analysis = \"modes\", which examines only the "
     "start of the mechanism",
     "[integrator]"},
    {"trajectory", "[objective]", "[output]\ntrajectory = true\n[objective]",
     "output.trajectory = true belongs to a motion, analysis = \"motion\"", "trajectory = true"},
    {"momenta", "\"floating-frame\"", "\"joint-hamiltonian\"",
     "formulation = \"joint-hamiltonian\" has momenta in place of velocities, and does not go with analysis "
     "= \"modes\"; take \"semi-recursive\""},
    {"sensitivity", "[objective]", "[sensitivity]\nmethod = \"direct\"\n[objective]",
     "sensitivity.method = \"direct\" does not go with analysis = \"modes\", which has no motion over time; "
     "remove it",
     "method = \"direct\""},
    {"body", "type = \"damping-ratio\"", "type = \"frequency\"\nbody = \"upper\"",
     "objective.body = \"upper\" belongs to analysis = \"eigenfrequency\"; these modes are of the whole "
     "mechanism",
     "body = \"upper\""},
    {"end", "[objective]",
     "[variables.end]\nquantity = \"integrator.t1\"\nlower = 0.1\nupper = 1.0\n[objective]",
     "variables.end.quantity = \"integrator.t1\" is the end of a motion, and analysis = \"modes\" has none",
     "quantity = \"integrator.t1\""},
    {"time", "modes = [1, 2]", "modes = [1, 2]\ntime = \"mean\"",
     "objective.time = \"mean\" belongs to a motion, analysis = \"motion\"", "time = \"mean\""},
    {"foreign_quantity", "type = \"damping-ratio\"", "type = \"kinetic-energy\"",
     "objective.type = \"kinetic-energy\" does not exist in an analysis of modes; allowed: \"displacement\", "
     "\"position\", \"reaction-force\", \"reaction-moment\", \"rod-force\", \"drive-torque\", "
     "\"joint-angle\", "
     "\"mass\", \"centre-of-mass\", \"distance\", \"relative-position\", \"spring-length\", \"rotation\", "
     "\"spring-force\", \"frequency\", \"damping-ratio\""},
};
INSTANTIATE_TEST_SUITE_P(Every, BadModes, testing::ValuesIn(mistakes_of_modes),
                         [](const auto& info) { return info.param.name; });

// A quantity that counts modes belongs to one analysis or two, and to no motion.
TEST(CountedModes, BelongToTheirAnalysis) {
  const auto refused = [](std::string text, const std::string& word, const std::string& type) {
    text.replace(text.find(word), word.size(), "\"" + type + "\"");
    return error_of(text).find("objective.type = \"" + type + "\" does not exist in an analysis of ") !=
           std::string::npos;
  };
  for (const char* type : {"buckling-load", "damping-ratio"})
    EXPECT_TRUE(refused(good_frequency, "\"frequency\"", type)) << type;
  EXPECT_TRUE(refused(good_modes, "\"damping-ratio\"", "buckling-load"));
  for (const char* type : {"frequency", "damping-ratio"}) {
    const std::string text =
        test::beam_text("static", std::string("[objective]\ntype = \"") + type + "\"\nbody = \"beam\"\n");
    EXPECT_NE(error_of(text).find("does not exist in a static analysis"), std::string::npos) << type;
  }
  for (const char* type : {"frequency", "damping-ratio", "buckling-load"}) {
    const std::string message = input_error_message([&] {
      read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks/flexible_crank_small.toml",
                   {std::string("objective.type=") + type});
    });
    EXPECT_NE(message.find("does not exist in a floating frame"), std::string::npos) << message;
  }
}

TEST(Frequencies, AreNotMoreThanABodyHas) {
  std::string text = good_frequency;
  text.replace(text.find("divisions = [8, 3]"), 18, "divisions = [2, 1]");
  text.replace(text.find("modes = [1, 3]"), 14, "modes = [1, 10]");
  const std::string message = input_error_message([&] { test::study_of(text, {"bodies.beam.markers={}"}); });
  EXPECT_EQ(message,
            "beam.toml:30: objective.modes requests frequency 10, but beam has only 9, one for each degree "
            "of freedom");
}

TEST(Frequencies, AreNoFunctionsOfAMotion) {
  const std::string message = input_error_message([] {
    read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks/flexible_crank_small.toml",
                 {"objective={type=\"frequency\", body=\"crank\"}"});
  });
  EXPECT_NE(message.find("objective.type = \"frequency\" does not exist in a floating frame; allowed:"),
            std::string::npos)
      << message;
}

TEST(Supports, AreNoPartOfAMotion) {
  std::string text =
      test::beam_text("motion", "[bodies.beam.clamp]\nx = 0.0\n[bodies.beam.modes]\nnormal = 2\n");
  EXPECT_EQ(error_of(text),
            "beam.toml:14: bodies.beam.supports = {wall = {x = 0.0, fixed = [\"x\"]}, corner = {x = 0.0, y = "
            "0.0, fixed = "
            "[\"y\"]}} hold a body at rest; one that moves is held by its joints, "
            "its frame "
            "by `clamp`");
}

}  // namespace
}  // namespace kurbel
