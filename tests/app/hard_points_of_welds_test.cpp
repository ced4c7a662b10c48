/// Points of a mechanism as variables: welds of cables, arcs and beams, which follow the points or are refused.
#include "hard_points.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using test::expect_gradients_of_differences;
using test::Functions;
using test::functions_at;
using test::interrupted;
using test::variables;

/// A cable from the ground, another one at an angle to it, and an arc, all welded: what a weld holds follows the points.
const std::string welded = R"(
gravity = [0.0, 0.5, -9.81]
[points]
A = { position = [0.1, 0.0, 0.2] }
B = { position = [0.3, 0.4, 0.6] }
C = { position = [0.5, 0.05, 0.3] }
D = { position = [0.7, 0.25, 0.3] }
E = { position = [0.6, -0.3, 0.1] }
[ground.markers]
post = { point = "A", rotation = [0.3, -0.2, 0.5] }
[beams.cable]
start = "A"
end = "B"
section = { shape = "circle", diameter = 0.02 }
elements = 3
youngs_modulus = 2e7
density = 1200.0
damping = 1e-3
[beams.branch]
start = "B"
end = "C"
section = { shape = "circle", diameter = 0.02 }
elements = 2
youngs_modulus = 2e7
density = 1200.0
damping = 1e-3
[beams.bow]
type = "spatial"
start = "C"
through = "D"
end = "E"
section = { shape = "rectangle", width = 0.02, height = 0.03 }
elements = 3
youngs_modulus = 2e7
density = 1200.0
damping = 1e-2
[joints.post]
type = "fixed"
from = "ground.post"
to = "cable.start"
[joints.corner]
type = "fixed"
from = "cable.end"
to = "branch.start"
[joints.grip]
type = "fixed"
from = "branch.end"
to = "bow.start"
[integrator]
t1 = 0.03
step = 2e-3
newton_tolerance = 1e-12
[objective]
type = "position"
marker = "bow.end"
time = "integral"
[constraints.criteria.tip]
type = "velocity"
marker = "branch.end"
time = "final"
upper = 1e4
)";

TEST(HardPointsOfWelds, HaveGradientsThatEqualDifferences) {
  for (const char* method : {"variational-midpoint", "generalized-alpha"})
    expect_gradients_of_differences(welded, {"A", "B", "C", "D", "E"}, "natural-coordinates", method);
}

/// The cables in line, or not far from that.
Problem in_line(std::initializer_list<const char*> points, const std::string& shared) {
  return read_problem(TomlDocument::parse(
      welded + variables(points), "straight.toml", ".",
      {"formulation=\"natural-coordinates\"", "integrator.method=\"variational-midpoint\"",
       "points.B.position=[0.3, 0.025, 0.25]", "coordinates.shared=" + shared}));
}

// What a weld holds, and whether ends share a tangent, follow from where the cables start: of every design anew.
TEST(HardPointsOfWelds, MayBendWhatWasStraight) {
  for (const char* shared : {"false", "true"}) {
    const Problem problem = in_line({"B"}, shared);
    const auto functions = [&](bool from_straight) {
      EvaluationChain chain(problem);
      const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
      ChainResult at;
      const auto move_to = [&](const VectorXd& x) {
        EXPECT_FALSE(chain.reduce(space.at(x), at).failed());
        EXPECT_FALSE(chain.simulate(at).failed());
      };
      if (from_straight) move_to(space.start());
      const VectorXd x = space.start() + Vector3d(0.0, 0.1, 0.02);
      move_to(x);
      std::vector<Design> bars;
      EXPECT_FALSE(chain.gradients(at, bars).failed());
      Functions f{VectorXd(2), MatrixXd(2, x.size())};
      f.values << at.psi, at.criteria;
      f.gradients << space.pullback(x, bars[0]).transpose(), space.pullback(x, bars[1]).transpose();
      return f;
    };
    const Functions anew = functions(false), bent = functions(true);
    EXPECT_EQ(bent.values, anew.values) << shared;
    EXPECT_EQ(bent.gradients, anew.gradients) << shared;
  }
}

TEST(HardPointsOfWelds, AreRefusedWhereAVariableBendsWhatIsStraight) {
  for (const char* shared : {"false", "true"}) {
    const auto differentiate = [&](std::initializer_list<const char*> points) {
      const Problem problem = in_line(points, shared);
      EvaluationChain chain(problem);
      const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
      ProblemNlp nlp(chain, space, interrupted);
      functions_at(nlp, space.start());
    };
    expect_input_error(
        [&] {
          differentiate({"D", "B"});
        },
        {"straight.toml:", "joints.corner: welds two cables in line, which variable Bx bends"});
    EXPECT_NO_THROW(differentiate({"D", "E"})) << shared;
  }
}

// End to end with one of the same length that runs the other way, a cable turns as much as that one by a point between them.
TEST(HardPointsOfWelds, AreRefusedWhereAVariableBendsCablesThatRunAgainstEachOther) {
  const std::string against = R"(
formulation = "natural-coordinates"
[points]
A = { position = [0.0, 0.0, 0.0] }
B = { position = [0.25, 0.0, 0.0] }
C = { position = [0.5, 0.0, 0.0] }
[beams.first]
start = "A"
end = "B"
section = { shape = "circle", diameter = 0.02 }
elements = 2
youngs_modulus = 2e7
density = 1200.0
[beams.second]
start = "C"
end = "B"
section = { shape = "circle", diameter = 0.02 }
elements = 2
youngs_modulus = 2e7
density = 1200.0
[joints.post]
type = "spherical"
from = "ground"
to = "first.start"
[joints.corner]
type = "fixed"
from = "first.end"
to = "second.end"
[integrator]
t1 = 0.01
step = 2e-3
[objective]
type = "position"
marker = "second.start"
time = "integral"
)";
  const Problem problem = read_problem(TomlDocument::parse(against + variables({"B"}), "against.toml", "."));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  expect_input_error([&] { functions_at(nlp, space.start()); },
                     {"joints.corner: welds two cables in line, which variable By bends"});
}

/// Two spatial beams in line, which hang from a ball joint.
const std::string beams_in_line = R"(
formulation = "natural-coordinates"
gravity = [0.0, 0.5, -9.81]
[points]
A = { position = [0.1, 0.0, 0.2] }
B = { position = [0.3, 0.025, 0.25] }
C = { position = [0.5, 0.05, 0.3] }
[ground.markers]
post = { point = "A" }
[beams.first]
type = "spatial"
start = "A"
end = "B"
section = { shape = "circle", diameter = 0.02 }
elements = 2
youngs_modulus = 2e7
density = 1200.0
[beams.second]
type = "spatial"
start = "B"
end = "C"
section = { shape = "circle", diameter = 0.02 }
elements = 2
youngs_modulus = 2e7
density = 1200.0
[joints.post]
type = "spherical"
from = "ground.post"
to = "first.start"
[joints.corner]
type = "fixed"
from = "first.end"
to = "second.start"
[integrator]
t1 = 0.01
step = 2e-3
[objective]
type = "position"
marker = "second.end"
time = "integral"
)";

TEST(HardPointsOfWelds, AreRefusedWhereAVariableTurnsBeamsAgainstEachOther) {
  for (const char* shared : {"false", "true"}) {
    const Problem problem = read_problem(TomlDocument::parse(
        beams_in_line + variables({"B"}), "beams.toml", ".", {std::string("coordinates.shared=") + shared}));
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ProblemNlp nlp(chain, space, interrupted);
    expect_input_error([&] { functions_at(nlp, space.start()); },
                       {"joints.corner: welds two beams, whose axes variable Bx turns against each other"});
  }
}

}  // namespace
}  // namespace kurbel
