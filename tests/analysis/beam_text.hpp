/// @file
/// A beam of 4 m and 1 m, held by supports, as an input.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace kurbel::test {

/// Thicknesses of all elements and the modulus as variables, beside no densities.
inline const std::string thickness_and_modulus = R"([variables.thickness]
quantity = "bodies.beam.mesh.thickness"
each_element = true
lower = 0.1
upper = 1.0
[variables.modulus]
quantity = "bodies.beam.material.youngs_modulus"
lower = 100.0
upper = 300.0
)";

/// The densities of the beam as variables, where [variables] stand beside them.
inline const std::string with_densities = "[design]\nbodies = [\"beam\"]\n";

/// Clamped at its left end in x, and at its lower left corner in y; without Poisson's ratio, so that it stretches as a bar.
/// @param analysis  "static" or "eigenfrequency"
/// @param more      tables of its own
inline std::string beam_text(const std::string& analysis, const std::string& more) {
  return "analysis = \"" + analysis + "\"\n" + R"([bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "rectangle"
origin = [0.0, 0.0]
size = [4.0, 1.0]
divisions = [8, 3]
thickness = 0.5
[bodies.beam.material]
youngs_modulus = 200.0
poisson_ratio = 0.0
density = 3.0
[bodies.beam.supports.wall]
x = 0.0
fixed = ["x"]
[bodies.beam.supports.corner]
x = 0.0
y = 0.0
fixed = ["y"]
[bodies.beam.markers.end]
x = 4.0
weights = "area"
[bodies.beam.markers.top]
x = 2.0
y = 1.0
)" + more;
}

/// Replaces the mesh of the beam: quadrilaterals and triangles of a file, with inner nodes out of line.
inline std::string mesh_of_a_file() {
  const std::string path = fmt::format("{}kurbel_beam_{}.inp", testing::TempDir(),
                                       testing::UnitTest::GetInstance()->current_test_info()->name());
  constexpr int n_x = 8, n_y = 3;
  const auto node = [](int i, int j) { return 1 + i + (n_x + 1) * j; };
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> shift(-0.06, 0.06);
  std::string nodes = "*NODE\n", quadrilaterals = "*ELEMENT, TYPE=CPS4\n",
              triangles = "*ELEMENT, TYPE=CPS3\n";
  for (int j = 0; j <= n_y; ++j) {
    for (int i = 0; i <= n_x; ++i) {
      const bool is_inner = i > 0 && i < n_x && j > 0 && j < n_y;
      nodes += fmt::format("{}, {}, {}\n", node(i, j), 4.0 * i / n_x + is_inner * shift(engine),
                           1.0 * j / n_y + is_inner * shift(engine));
    }
  }
  for (int j = 0, element = 1; j < n_y; ++j) {
    for (int i = 0; i < n_x; ++i) {
      const int a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if ((i + j) % 2 == 0) {
        quadrilaterals += fmt::format("{}, {}, {}, {}, {}\n", element++, a, b, c, d);
      } else {
        triangles += fmt::format("{}, {}, {}, {}\n", element, a, b, c);
        triangles += fmt::format("{}, {}, {}, {}\n", element + 1, a, c, d);
        element += 2;
      }
    }
  }
  std::ofstream(path) << nodes << quadrilaterals << triangles;
  return fmt::format("bodies.beam.mesh={{file=\"{}\",thickness=0.5}}", path);
}

/// The surface of that mesh as a variable.
inline const std::string surface = R"([variables.outside]
quantity = "bodies.beam.mesh.surface"
lower = -0.05
upper = 0.05
radius = 0.7
[design]
bodies = []
)";

/// Offsets of up to 0.03 m.
inline VectorXd random_offsets(Eigen::Index n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-0.03, 0.03);
  return VectorXd::NullaryExpr(n, [&] { return uniform(engine); });
}

inline Study study_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return Study(read_problem(TomlDocument::parse(text, "beam.toml", ".", overrides)));
}

inline void require(const Status& status) {
  if (status.failed()) throw std::runtime_error(status.message());
}

inline ChainResult answer(Study& study, const VectorXd& x) {
  ChainResult result;
  require(study.simulate(x, result));
  return result;
}

/// Densities between 0.05 and 1, a third of them below 0.1.
inline VectorXd random_design(Eigen::Index n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  return VectorXd::NullaryExpr(n, [&] {
    const double u = uniform(engine), v = uniform(engine);
    return u < 0.33 ? 0.05 + 0.04 * v : 0.15 + 0.85 * v;
  });
}

/// Largest relative deviation of all derivatives along random directions from central differences of fourth order.
/// @param h  step, relative to each variable
inline double gradient_error(Study& study, const VectorXd& x, unsigned seed, double h = 1e-3) {
  Evaluation at;
  require(study.evaluate(x, at));
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  double worst = 0.0;
  for (int trial = 0; trial < 3; ++trial) {
    VectorXd direction = VectorXd::NullaryExpr(x.size(), [&] { return normal(engine); });
    direction = direction.cwiseProduct(x);  // of the size of each density
    const auto values = [&](double step) {
      Evaluation shifted;
      require(study.evaluate(x + step * direction, shifted));
      VectorXd all(1 + shifted.constraints.size());
      all << shifted.objective, shifted.constraints;
      return all;
    };
    const VectorXd difference =
        (8.0 * (values(h) - values(-h)) - (values(2.0 * h) - values(-2.0 * h))) / (12.0 * h);
    VectorXd slope(difference.size());
    slope << at.gradient.dot(direction), at.constraint_gradients * direction;
    for (Eigen::Index j = 0; j < slope.size(); ++j) {
      const double error = std::abs(slope[j] - difference[j]) / std::abs(difference[j]);
      if (!(error <= worst)) worst = error;
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

}  // namespace kurbel::test
