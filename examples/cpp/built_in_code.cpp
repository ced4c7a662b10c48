/// @file
/// A problem without a file: a chain of n rods that hangs from its end. Its lowest frequency tends to that of a heavy rope,
///     f = j / (4 pi) sqrt(g / L),    J_0(j) = 0,
/// and the gradient says how it changes with the mass of the last rod. Usage: built_in_code. Exit code 0 if both
/// frequencies agree, and a mistake is named.
#include <cmath>
#include <iostream>
#include <kurbel/kurbel.hpp>

namespace {

constexpr int n = 20;
constexpr double length = 2.0, mass = 3.0, g = 9.81, pi = 3.14159265358979;

std::string name(int i) {
  return "rod_" + std::to_string(i);
}

kurbel::ProblemBuilder chain() {
  const double l = length / n, m = mass / n;
  kurbel::ProblemBuilder input("chain");
  input.set("analysis", "modes").set("formulation", "semi-recursive").set("gravity", {0.0, -g, 0.0});
  for (int i = 1; i <= n; ++i) {
    const std::string body = "bodies." + name(i), joint = "joints.pin_" + std::to_string(i);
    input.set(body,
              kurbel::InputTable{{"type", "rigid"}, {"mass", m}, {"centre_of_mass", {l / 2.0, 0.0, 0.0}}});
    input.set(body + ".inertia", {1e-6, m * l * l / 12.0, m * l * l / 12.0});
    input.set(body + ".markers.end.position", {l, 0.0, 0.0});
    input.set(body + ".initial.position", {0.0, -l * (i - 1), 0.0});
    input.set(body + ".initial.rotation", {"0 deg", "0 deg", "-90 deg"});
    input.set(joint, kurbel::InputTable{{"type", "revolute"}, {"to", name(i)}});
    input.set(joint + ".from", i == 1 ? "ground" : name(i - 1) + ".end");
  }
  input.set("objective.type", "frequency");
  input.set("variables.last_mass.quantity", "bodies." + name(n) + ".mass");
  input.set("variables.last_mass.lower", 0.5 * m).set("variables.last_mass.upper", 2.0 * m);
  return input;
}

int run() {
  kurbel::Study study(chain().problem());
  kurbel::Evaluation at;
  if (const kurbel::Status status = study.evaluate(study.start(), at); status.failed())
    throw std::runtime_error(status.message());
  const double rope = 2.404825557695773 / (4.0 * pi) * std::sqrt(g / length);
  std::cout << n << " rods: " << at.objective << " Hz, a rope: " << rope << " Hz; by "
            << study.variable(0).name << " (scaled to [0, 1] between its bounds): " << at.gradient[0]
            << " Hz\n";
  try {
    chain().set("bodies.rod_3.mass", -1.0).problem();
    return 1;
  } catch (const kurbel::InputError& error) {
    std::cout << "A mistake is named with its call: " << error.what() << "\n";
  }
  return std::abs(at.objective - rope) < 1e-3 * rope ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
