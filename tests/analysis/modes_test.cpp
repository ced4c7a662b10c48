/// Modes of mechanisms about a state of rest: closed forms in all formulations, reductions, and motions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <map>

#include "analysis/kinetic_shares.hpp"
#include "arm_text.hpp"
#include "beam_text.hpp"
#include "modes_text.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::Arm;
using test::beam;
using test::formulations;
using test::in;
using test::in_equilibrium;
using test::pendulum;
using test::study_of;

std::map<std::string, double> numbers(const std::string& text) {
  Study study = study_of(text);
  const ChainResult at = answer(study, study.start());
  const auto told = at.motion->summarize(at.trajectory).numbers;
  return {told.begin(), told.end()};
}

std::string failure_of(const std::string& text) {
  Study study = study_of(text);
  ChainResult result;
  return study.simulate(study.start(), result).message();
}

TEST(MechanismModes, HaveTheFrequencyOfAPendulumInEveryFormulation) {
  const double exact = std::sqrt(2.0 * 9.81 * 0.4 / (0.05 + 2.0 * 0.4 * 0.4)) / (2.0 * EIGEN_PI);
  for (const char* formulation : formulations) {
    const auto hanging = numbers(in(formulation, pendulum()));
    EXPECT_NEAR(hanging.at("frequency_1"), exact, 1e-9 * exact) << formulation;
    EXPECT_EQ(hanging.at("degrees_of_freedom"), 1.0);
    EXPECT_EQ(hanging.at("rigid_body_modes"), 0.0);
    EXPECT_EQ(hanging.at("damping_ratio_1"), 0.0);
    const auto found = numbers(in(formulation, pendulum(in_equilibrium, -1.0)));
    EXPECT_NEAR(found.at("frequency_1"), exact, 1e-9 * exact) << formulation;
  }
}

TEST(MechanismModes, HaveThoseOfATwoLinkArmUnderGravityInEveryFormulation) {
  Arm arm;
  for (const double damping : {0.0, 0.4}) {
    arm.d1 = damping, arm.d2 = 0.3 * damping;
    const Eigen::Vector2cd exact = arm.poles();
    for (const char* formulation : formulations) {
      for (const double off : {0.0, 0.05}) {
        const auto found = numbers(in(formulation, arm.text(off == 0.0 ? "" : in_equilibrium, off)));
        for (int mode : {1, 2}) {
          const std::complex<double> s = exact[mode - 1];
          EXPECT_NEAR(found.at(fmt::format("frequency_{}", mode)), std::abs(s) / (2.0 * EIGEN_PI),
                      1e-8 * std::abs(s))
              << formulation << " " << off;
          EXPECT_NEAR(found.at(fmt::format("damping_ratio_{}", mode)), -s.real() / std::abs(s), 1e-8)
              << formulation << " " << off;
        }
      }
    }
  }
}

/// Ziegler's column: two links of length l with masses m_1 and m_2 at their ends, springs k in both hinges, and a force P that
/// pushes along the second link, whose stiffness is not symmetric:
///     M = [J + (m_1 + m_2) l^2, m_2 l^2; m_2 l^2, J + m_2 l^2],    K = [2 k - P l, P l - k; -k, k].
TEST(MechanismModes, HaveThoseOfAColumnUnderAForceThatFollowsIt) {
  static constexpr double l = 0.5, J = 0.01, m_1 = 2.0, m_2 = 1.0, k = 30.0;
  const auto links = [](double P) {
    const auto link = [](const char* name, double mass, double x) {
      return fmt::format(
          "[bodies.{}]\ntype = \"rigid\"\nmass = {}\ncentre_of_mass = [{}, 0, 0]\ninertia = [{}, {}, {}]\n"
          "markers.end.position = [{}, 0.0, 0.0]\ninitial.position = [{}, 0.0, 0.0]\n",
          name, mass, l, J, J, J, l, x);
    };
    const auto hinge = [](const char* name, const char* from, const char* to) {
      return fmt::format(
          "[joints.{0}]\ntype = \"revolute\"\nfrom = \"{1}\"\nto = \"{2}\"\n"
          "[torsion_springs.{0}]\nfrom = \"{1}\"\nto = \"{2}\"\nstiffness = {3}\n",
          name, from, to, k);
    };
    return link("one", m_1, 0.0) + link("two", m_2, l) + hinge("foot", "ground", "one") +
           hinge("knee", "one.end", "two") +
           fmt::format("[loads.push]\nmarker = \"two.end\"\nframe = \"body\"\nforce = [{}, 0.0, 0.0]\n", -P);
  };
  Eigen::Matrix2d M, K;
  M << J + (m_1 + m_2) * l * l, m_2 * l * l, m_2 * l * l, J + m_2 * l * l;
  for (const double P : {1.5 * k / l, 2.5 * k / l}) {
    K << 2.0 * k - P * l, P * l - k, -k, k;
    const Eigen::Vector2cd omega_2 = Eigen::EigenSolver<Eigen::Matrix2d>(M.inverse() * K).eigenvalues();
    const bool flutters = omega_2[0].imag() != 0.0;
    EXPECT_EQ(flutters, P > 2.0 * k / l);
    std::vector<double> exact = {std::sqrt(std::abs(omega_2[0])), std::sqrt(std::abs(omega_2[1]))};
    std::ranges::sort(exact);
    for (const char* formulation : formulations) {
      Study study = study_of(in(formulation, links(P)));
      const ChainResult at = answer(study, study.start());
      const auto told = at.motion->summarize(at.trajectory).numbers;
      const std::map<std::string, double> found(told.begin(), told.end());
      for (int mode : {1, 2}) {
        const double omega = exact[static_cast<std::size_t>(mode) - 1];
        EXPECT_NEAR(found.at(fmt::format("frequency_{}", mode)), omega / (2.0 * EIGEN_PI), 1e-8 * omega)
            << formulation << " " << P;
      }
      EXPECT_EQ(at.motion->warnings(at.trajectory).empty(), !flutters) << formulation;
    }
  }
}

/// Two points of 1 kg on a line, springs of 100 N/m to the ground and between them.
TEST(MechanismModes, HaveThoseOfAChainOfSpringsAndDampers) {
  const auto chain = [](double damping) {
    return in("natural-coordinates", fmt::format(R"([bodies.one]
type = "point"
mass = 1.0
free = ["x"]
[bodies.two]
type = "point"
mass = 1.0
free = ["x"]
[springs.first]
law = "linear"
from = "ground"
to = "one"
stiffness = 100.0
damping = {0}
[springs.second]
law = "linear"
from = "one"
to = "two"
stiffness = 100.0
damping = {0}
)",
                                                 damping));
  };
  const double low = std::sqrt(50.0 * (3.0 - std::sqrt(5.0))),
               high = std::sqrt(50.0 * (3.0 + std::sqrt(5.0)));
  for (const double damping : {0.0, 0.5}) {
    const auto found = numbers(chain(damping));
    EXPECT_NEAR(found.at("frequency_1"), low / (2.0 * EIGEN_PI), 1e-10);
    EXPECT_NEAR(found.at("frequency_2"), high / (2.0 * EIGEN_PI), 1e-10);
    EXPECT_NEAR(found.at("damping_ratio_1"), 0.5 * damping / 100.0 * low,
                1e-12);  // proportional to stiffness
    EXPECT_NEAR(found.at("damping_ratio_2"), 0.5 * damping / 100.0 * high, 1e-12);
  }
  EXPECT_EQ(numbers(chain(50.0)).count("frequency_1"), 0U);  // both modes are beyond critical damping
}

/// Masses m_1 and m_2 on a line, springs k_1 to the ground and k_2 between them: with r = x_2 / x_1,
///     omega^2 m_2 r = k_2 (r - 1),    share of the second one    m_2 r^2 / (m_1 + m_2 r^2).
/// In joint coordinates x_1, d = x_2 - x_1 the momenta are m_1 x_1 + m_2 x_2 and m_2 x_2: its joint adds
///     d m_2 x_2 / (m_1 x_1^2 + m_2 x_2^2).
TEST(MechanismModes, TellWhichMassesTakePart) {
  const double m1 = 1.0, m2 = 3.0, k1 = 100.0, k2 = 50.0;
  const double b = ((k1 + k2) * m2 + k2 * m1) / (2.0 * m1 * m2), c = k1 * k2 / (m1 * m2);
  for (const char* formulation : formulations) {
    Study study = study_of(in(formulation, R"([bodies.one]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[bodies.one.markers.anchor]
position = [-1.0, 0.0, 0.0]
[bodies.two]
type = "rigid"
mass = 3.0
inertia = [0.1, 0.1, 0.1]
[bodies.two.markers.anchor]
position = [1.0, 0.0, 0.0]
[joints.first]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "one"
[joints.second]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "one"
to = "two"
[springs.first]
from = "ground"
to = "one.anchor"
stiffness = 100.0
free_length = 1.0
[springs.second]
from = "one"
to = "two.anchor"
stiffness = 50.0
free_length = 1.0
)"));
    const ChainResult at = answer(study, study.start());
    const ResultTable table = at.motion->tables().front();
    ASSERT_EQ(table.columns.size(), 7u) << formulation;
    const bool by_joint = std::string(formulation) == "semi-recursive";
    EXPECT_TRUE(table.columns[6].name.ends_with(by_joint ? "of joint second" : "two"))
        << table.columns[6].name;
    for (int mode : {0, 1}) {
      const double omega_2 = b + (mode == 0 ? -1.0 : 1.0) * std::sqrt(b * b - c),
                   r = k2 / (k2 - m2 * omega_2);
      const double all = m1 + m2 * r * r, exact = (by_joint ? (r - 1.0) * m2 * r : m2 * r * r) / all;
      EXPECT_NEAR(table.values(mode, 1), std::sqrt(omega_2) / (2.0 * EIGEN_PI), 1e-9);
      EXPECT_NEAR(table.values(mode, 6), exact, 1e-9) << formulation << " mode " << mode + 1;
      EXPECT_NEAR(table.values.row(mode).tail<2>().sum(), 1.0, 1e-12);
    }
  }
}

TEST(MechanismModes, NameRigidBodyModes) {
  // Without gravity the shoulder is free, and the elbow's spring swings both links against each other.
  Arm arm;
  arm.g = 0.0, arm.k1 = 0.0;
  const Eigen::Matrix2d M = arm.M();
  const double exact = std::sqrt(arm.k2 * M(0, 0) / M.determinant()) / (2.0 * EIGEN_PI);
  arm.k1 = 1.0;  // which free_angles() divides by
  for (const char* formulation : formulations) {
    std::string text = in(formulation, arm.text(""));
    text.replace(text.find("stiffness = 1\n"), 14, "stiffness = 0.0\n");
    const auto found = numbers(text);
    EXPECT_EQ(found.at("rigid_body_modes"), 1.0) << formulation;
    EXPECT_NEAR(found.at("frequency_1"), exact, 1e-8 * exact) << formulation;
    EXPECT_EQ(found.count("frequency_2"), 0U);
  }
}

/// Masses that hang together by springs and may move along some axes; `damped` is one more spring, from the ground.
std::string chain_of_masses(const std::string& axes, const std::string& damped) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("[bodies.m{}]\ntype = \"point\"\nmass = {}\nfree = {}\n", i, 1.0 + 0.3 * i, axes);
    if (i > 0)
      text +=
          fmt::format("[springs.s{0}]\nlaw = \"linear\"\nfrom = \"m{1}\"\nto = \"m{0}\"\nstiffness = {2}\n",
                      i, i - 1, 100.0 + 30.0 * i);
  }
  return in("natural-coordinates", text + damped);
}

TEST(MechanismModes, HaveAllDigitsBesideRigidBodyModes) {
  const auto found = numbers(chain_of_masses("[\"x\", \"y\"]", ""));
  EXPECT_EQ(found.at("rigid_body_modes"), 2.0);
  for (int mode : {1, 3, 5}) {
    const double along_x = found.at(fmt::format("frequency_{}", mode));
    EXPECT_NEAR(found.at(fmt::format("frequency_{}", mode + 1)), along_x, 1e-11 * along_x);
  }
}

TEST(MechanismModes, DoNotGrowByRoundingBesideADamper) {
  const std::string alone =
                        "[bodies.alone]\ntype = \"point\"\nmass = 1.0\nfree = [\"x\"]\n[springs.a]\nlaw = "
                        "\"linear\"\nfrom = \"ground\"\nto = \"alone\"\nstiffness = 100.0\ndamping = 0.5\n",
                    ground =
                        "[springs.g]\nlaw = \"linear\"\nfrom = \"ground\"\nto = \"m0\"\nstiffness = 130.0\n";
  Study study = study_of(chain_of_masses("[\"x\"]", ground + alone + "[objective]\ntype = \"frequency\"\n"));
  const ChainResult at = answer(study, study.start());
  EXPECT_TRUE(at.motion->warnings(at.trajectory).empty());
}

TEST(MechanismModes, OfABodyThatIsHeldAreThoseOfItsReduction) {
  const std::string held = "[joints.wall]\ntype = \"fixed\"\nfrom = \"ground\"\nto = \"beam\"\n";
  Study study = study_of(beam(held));
  const ChainResult at = answer(study, study.start());
  const Sid& sid = at.reduced[0].sid;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> reduced(sid.Ke.M0, sid.Me.M0);
  const auto told = at.motion->summarize(at.trajectory).numbers;
  const std::map<std::string, double> found(told.begin(), told.end());
  for (int mode = 1; mode <= 4; ++mode) {
    const double exact = std::sqrt(reduced.eigenvalues()[mode - 1]) / (2.0 * EIGEN_PI);
    EXPECT_NEAR(found.at(fmt::format("frequency_{}", mode)), exact, 1e-8 * exact);
  }
}

/// kappa (1 + cos b cosh b) = b (sin b cosh b - cos b sinh b), kappa = k L / (E I); the first root.
double of_hinged_beam(double stiffness) {
  const double EI = 7e10 * 0.01 * std::pow(0.02, 3) / 12.0, kappa = stiffness / EI;
  const auto f = [&](double b) {
    return kappa * (1.0 + std::cos(b) * std::cosh(b)) -
           b * (std::sin(b) * std::cosh(b) - std::cos(b) * std::sinh(b));
  };
  double low = 0.1, high = 1.9;
  for (int i = 0; i < 100; ++i) (f(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
  return low * low * std::sqrt(EI / (2700.0 * 0.02 * 0.01)) / (2.0 * EIGEN_PI);
}

TEST(MechanismModes, HaveTheFrequencyOfABeamOnAHingeWithASpring) {
  for (const double stiffness : {50.0, 500.0}) {
    const auto found = numbers(beam(fmt::format(R"([joints.hinge]
type = "revolute"
from = "ground"
to = "beam"
[torsion_springs.spring]
from = "ground"
to = "beam"
stiffness = {}
)",
                                                stiffness)));
    // Shear and rotary inertia, which the closed form leaves out, lower it by some (h / L)^2.
    EXPECT_NEAR(found.at("frequency_1"), of_hinged_beam(stiffness), 2e-3 * of_hinged_beam(stiffness));
  }
}

/// s of a free motion with a single pole, from samples a quarter of a period apart:
/// z_(k+1) = 2 exp(Re s h) cos(Im s h) z_k - exp(2 Re s h) z_(k-1).
std::complex<double> pole_of(const VectorXd& z, double h) {
  const Eigen::Index n = z.size() - 2;
  MatrixXd A(n, 2);
  A << z.segment(1, n), -z.head(n);
  const VectorXd c = A.colPivHouseholderQr().solve(z.tail(n));
  const double rate = 0.5 * std::log(c[1]) / h;
  return {rate, std::acos(0.5 * c[0] / std::sqrt(c[1])) / h};
}

TEST(MechanismModes, DecayAndSwingAsSmallMotionsDo) {
  const std::string damped = R"([torsion_springs.spring]
from = "ground"
to = "rod"
stiffness = 3.0
damping = 0.4
)";
  const std::complex<double> expected = [&] {
    const auto found = numbers(in("floating-frame", pendulum(damped + in_equilibrium, -1.2)));
    const double size = 2.0 * EIGEN_PI * found.at("frequency_1"), ratio = found.at("damping_ratio_1");
    return std::complex<double>(-ratio * size, std::sqrt(1.0 - ratio * ratio) * size);
  }();
  // The equilibrium of torsion spring and gravity, then a start 1e-5 rad beside it.
  double angle = -1.2;
  for (int i = 0; i < 50; ++i)
    angle -= (3.0 * angle + 2.0 * 9.81 * 0.4 * std::cos(angle)) / (3.0 - 2.0 * 9.81 * 0.4 * std::sin(angle));
  Study study = study_of(pendulum(damped + R"([integrator]
t1 = 2.0
step = 5e-4
rho_inf = 1.0
[outputs.angle]
type = "joint-angle"
joint = "bearing"
)",
                                  angle + 1e-5));
  const ChainResult at = answer(study, study.start());
  const OutputHistory history = at.motion->outputs(at.trajectory).front();
  constexpr Eigen::Index every = 500;
  VectorXd z(history.values.cols() / every);
  for (Eigen::Index k = 0; k < z.size(); ++k) z[k] = history.values(0, k * every) - angle;
  const std::complex<double> s = pole_of(z, 5e-4 * every);
  EXPECT_NEAR(s.real(), expected.real(), 1e-4 * std::abs(expected));
  EXPECT_NEAR(s.imag(), expected.imag(), 1e-4 * std::abs(expected));
}

/// Numbers of the shipped input, found with this program; by other means only that they are what they were.
TEST(ArmInPose, VibratesAsItDid) {
  Study study = Study::read(std::string(KURBEL_SOURCE_DIR) + "/inputs/robots/arm_in_pose.toml");
  const ChainResult at = answer(study, study.start());
  const auto told = at.motion->summarize(at.trajectory).numbers;
  const std::map<std::string, double> found(told.begin(), told.end());
  EXPECT_EQ(found.at("degrees_of_freedom"), 9.0);
  EXPECT_NEAR(found.at("frequency_1"), 25.973286677, 1e-6);
  EXPECT_NEAR(found.at("frequency_2"), 92.491833527, 1e-5);
  EXPECT_NEAR(found.at("damping_ratio_1"), 0.011972368, 1e-8);
  EXPECT_NEAR(at.psi, 0.1220006788, 1e-9);
}

TEST(MechanismModes, RefuseWhatIsNotAtRest) {
  EXPECT_NE(failure_of(in("floating-frame", pendulum("", -1.0))).find("the start is not in equilibrium"),
            std::string::npos);
  EXPECT_NE(failure_of(in("floating-frame", pendulum("", -1.0))).find("static-equilibrium"),
            std::string::npos);
  const std::string turning =
      pendulum("[joints.bearing.drive]\ndof = \"rz\"\ntype = \"constant-rate\"\nrate = 2.0\n");
  EXPECT_NE(failure_of(in("floating-frame", turning)).find("the mechanism moves at its start"),
            std::string::npos);
  const std::string starting = pendulum(
      "[joints.bearing.drive]\ndof = \"rz\"\ntype = \"table\"\nt = [0.0, 1.0, 2.0, 3.0]\nvalues = [0.0, 0.3, "
      "0.2, "
      "0.4]\ninterpolation = \"clamped\"\n");
  EXPECT_NE(failure_of(in("floating-frame", starting)).find("a drive accelerates the mechanism at its start"),
            std::string::npos);
}

TEST(MechanismModes, RefuseToCountWhereThereIsNothingToCount) {
  const std::string first = "[objective]\ntype = \"frequency\"\n";
  EXPECT_NE(failure_of(in("floating-frame", pendulum("", 0.5 * EIGEN_PI) + first)).find("unstable"),
            std::string::npos);
  EXPECT_EQ(failure_of(in("floating-frame", pendulum("", 0.5 * EIGEN_PI))), "");  // it is told
  EXPECT_NE(failure_of(in("floating-frame", pendulum(first + "modes = 3\n"))).find("criteria count mode 3"),
            std::string::npos);
}

TEST(KineticShares, NamePartsWithATenthOrMoreTheGreatestFirst) {
  EXPECT_EQ(text_of_shares({{"rod", 0.06}, {"slider", 0.11}, {"crank", 0.83}}), "crank 83 %, slider 11 %");
  EXPECT_EQ(text_of_shares({{"rod", 0.09}}), "none");
}

}  // namespace
}  // namespace kurbel
