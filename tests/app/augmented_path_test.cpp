/// The gradient by the derivatives of every SID coefficient, in the program and from a file alone, against
/// the pull-back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/results.hpp"
#include "crank.hpp"
#include "evaluation/augmented_export.hpp"
#include "sid/augmented_sid.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

VectorXd gradient_by(const char* path, const char* file, const std::vector<std::string>& overrides) {
  const Problem problem =
      read_problem(test::input(file), with(overrides, {std::string("sensitivity.path=\"") + path + "\""}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  return test::evaluate(chain, space, test::random_densities(space.n_variables(), 3)).gradient;
}

/// Both paths solve to 1e-12; the contraction cancels terms that the gap of the kept modes makes large.
constexpr double agreement = 1e-8;

void expect_equal_paths(const char* file, const std::vector<std::string>& overrides) {
  const VectorXd pulled_back = gradient_by("pull-back", file, overrides);
  const VectorXd contracted = gradient_by("augmented-sid", file, overrides);
  EXPECT_LT((contracted - pulled_back).cwiseAbs().maxCoeff(), agreement * pulled_back.cwiseAbs().maxCoeff());
}

TEST(AugmentedPath, EqualsThePullbackOnTheCrank) {
  expect_equal_paths("flexible_crank.toml", with(test::coarse_crank(), {"bodies.crank.damping.alpha=2.0",
                                                                        "bodies.crank.damping.beta=1e-5",
                                                                        "gravity=[0.0,-9.81,0.0]"}));
}

TEST(AugmentedPath, EqualsThePullbackOnTheCrankIn3D) {
  expect_equal_paths("flexible_crank_3d.toml", test::coarse_crank_3d());
}

TEST(AugmentedPath, IsRefusedWhereKeptModesCoincide) {
  const Problem problem =
      read_problem(test::input("flexible_crank_3d.toml"),
                   with(test::coarse_crank_3d(),
                        {"bodies.crank.mesh.origin=[0.0,-0.01,-0.01]",
                         "bodies.crank.mesh.size=[0.2,0.02,0.02]", "bodies.crank.mesh.divisions=[20,3,3]",
                         "bodies.crank.modes.normal=2", "sensitivity.path=\"augmented-sid\""}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const BodyFields densities = space.densities(VectorXd::Constant(space.n_variables(), 0.7));
  ChainResult result;
  Design bar;
  ASSERT_FALSE(chain.reduce(densities, result).failed());
  ASSERT_FALSE(chain.simulate(result).failed());
  const Status failure = chain.gradient(result, bar);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("coincide"));
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("body crank"));
}

/// The coarse crank reduced, its gradient by the pull-back, and an export of it.
class AugmentedFile : public ::testing::Test {
 protected:
  AugmentedFile()
      : problem_(read_problem(test::input("flexible_crank.toml"), test::coarse_crank())),
        chain_(problem_),
        densities_{test::random_densities(chain_.body(0)->n_elements(), 4), VectorXd()} {
    for (const Status& s : {chain_.reduce(densities_, result_), chain_.simulate(result_),
                            chain_.gradient(result_, pulled_back_)}) {
      if (s.failed()) throw std::runtime_error(s.message());
    }
  }

  std::optional<BodyAugmentation> prepared(const DerivativeRequest& request) {
    std::vector<std::optional<BodyAugmentation>> augmentations;
    if (const Status s = prepare_augmentations(chain_, request, result_, augmentations); s.failed())
      throw std::runtime_error(s.message());
    write_augmented_sids(folder_ / "sid.h5", chain_, result_, augmentations, {});
    return std::move(augmentations[0]);
  }

  /// psi's gradient from the file, by a simulation that knows no mesh.
  VectorXd gradient_of_file() {
    const Problem without_mesh =
        read_problem(test::input("crank_from_sid.toml"),
                     {"bodies.crank.file=\"" + (folder_ / "sid.h5").string() + "\"", "integrator.step=5e-3"});
    EvaluationChain chain(without_mesh);
    ChainResult result;
    if (const Status s = chain.simulate(result); s.failed()) throw std::runtime_error(s.message());
    const AugmentedSid file = read_augmented_sid(Hdf5File::open(folder_ / "sid.h5"), "crank");
    return assemble_gradient(file, chain.sid_adjoint(result)[0]);
  }

  double error_of(const VectorXd& gradient) const {
    return (gradient - pulled_back_.bodies[0].density).norm() / pulled_back_.bodies[0].density.norm();
  }

  const TemporaryFolder folder_;
  Problem problem_;
  EvaluationChain chain_;
  BodyFields densities_;
  Design pulled_back_;
  ChainResult result_;
};

TEST_F(AugmentedFile, AloneGivesThePulledBackGradient) {
  prepared({});
  EXPECT_LT(error_of(gradient_of_file()), agreement);
}

TEST_F(AugmentedFile, IsAboutAsLargeAsEstimated) {
  const auto body = prepared({});
  const double size = double(std::filesystem::file_size(folder_ / "sid.h5"));
  EXPECT_LT(size, 1.2 * body->estimated_file_bytes + 1e5);  // numbers without a pattern hardly compress
  EXPECT_GT(size, 0.5 * body->estimated_file_bytes);
}

TEST_F(AugmentedFile, WithoutCoefficientsOfLittleInfluenceIsWithinTheStatedError) {
  const auto whole = prepared({});
  const auto body = prepared({.drop_below = 1e-3});
  EXPECT_LT(body->augmentation.kept.size(), whole->augmentation.kept.size());
  EXPECT_LT(body->bytes, 0.5 * whole->bytes);
  EXPECT_GT(body->gradient_error, 0.0);
  EXPECT_LT(body->gradient_error, 1e-3 * double(whole->augmentation.kept.size()));
  EXPECT_NEAR(error_of(gradient_of_file()), body->gradient_error, agreement);
}

TEST_F(AugmentedFile, ByARegionIsTheSumOverItsElements) {
  prepared({.variables = {"bearing", "17"}});
  const std::vector<int> elements =
      chain_.body(0)->mesh().elements_in(problem_.bodies[0].flexible.regions[0].place);
  ASSERT_EQ(problem_.bodies[0].flexible.regions[0].name, "bearing");
  const VectorXd gradient = gradient_of_file();
  ASSERT_EQ(gradient.size(), 2);
  const double size = pulled_back_.bodies[0].density.norm();
  EXPECT_NEAR(gradient[0], pulled_back_.bodies[0].density(elements).sum(), agreement * size);
  EXPECT_NEAR(gradient[1], pulled_back_.bodies[0].density[17], agreement * size);
}

TEST_F(AugmentedFile, RefusesNamesThatNothingHas) {
  expect_input_error([&] { prepared({.variables = {"bearng"}}); }, {"bearng", "did you mean bearing?"});
  expect_input_error([&] { prepared({.variables = {"180"}}); }, {"180", "0 ... 179"});
  expect_input_error([&] { prepared({.coefficients = {"mdCN"}}); }, {"mdCN", "did you mean mdCM?"});
}

}  // namespace
}  // namespace kurbel
