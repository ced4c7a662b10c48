/// @file
/// SID coefficients against direct volume integration over the deformed body, and the transpose of their map.
#include <gtest/gtest.h>

#include <cmath>

#include "fem/simp.hpp"
#include "invariant_objective.hpp"

namespace kurbel::fem::test {
namespace {

/// A point of the body with its mass, from 3-point Gauss quadrature of interpolated fields.
struct MassPoint {
  double dm;
  Vector3d X;
  MatrixXd Phi;  // 3 x n_q
};

/// Multilinear shape function of corner a (VTK order) at xi in [-1, 1]^dim.
double shape_function(int a, int dim, const Vector3d& xi) {
  const double sx = a % 4 == 1 || a % 4 == 2 ? 1.0 : -1.0, sy = a % 4 >= 2 ? 1.0 : -1.0,
               sz = a >= 4 ? 1.0 : -1.0;
  const double plane_part = 0.25 * (1.0 + sx * xi[0]) * (1.0 + sy * xi[1]);
  return dim == 2 ? plane_part : plane_part * 0.5 * (1.0 + sz * xi[2]);
}

std::vector<MassPoint> mass_points(const FlexibleBody& body, const VectorXd& rho, const MatrixXd& shapes) {
  const Mesh& mesh = body.mesh();
  const int dim = mesh.dim();
  const double abscissa[3] = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)},
               weight[3] = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0};
  std::vector<MassPoint> points;
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const double density = body.spec().material.density * mass_factor(body.spec().simp, rho[e]).value;
    for (int g = 0; g < (dim == 2 ? 9 : 27); ++g) {
      const int i = g % 3, j = g / 3 % 3, k = g / 9;
      const Vector3d xi(abscissa[i], abscissa[j], dim == 3 ? abscissa[k] : 0.0);
      const double w = weight[i] * weight[j] * (dim == 3 ? weight[k] : 1.0);
      MassPoint p{density * w * mesh.volumes()[e], Vector3d::Zero(), MatrixXd::Zero(3, shapes.cols())};
      for (int a = 0; a < mesh.nodes_of(e).size(); ++a) {
        const int node = mesh.nodes_of(e)[a];
        const double N = shape_function(a, dim, xi);
        p.X += N * mesh.positions().col(node);
        p.Phi += N * shapes.middleRows(3 * node, 3);
      }
      points.push_back(p);
    }
  }
  return points;
}

Matrix3d tilde(const Vector3d& x) {
  Matrix3d X;
  X << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return X;
}

class SidOfBody : public testing::TestWithParam<int> {
 protected:
  static FlexibleBodySpec spec(int dim) {
    FlexibleBodySpec s = dim == 2 ? crank(12, 4, 3, true) : bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
    s.mesh.origin += Vector3d(0.03, 0.01, dim == 3 ? -0.02 : 0.0);  // nothing vanishes by symmetry
    s.clamp = plane(0, s.mesh.origin[0]);
    s.markers[0].nodes = plane(0, s.mesh.origin[0] + 0.2);
    s.damping_alpha = 3.0;
    s.damping_beta = 2e-5;
    return s;
  }

  SidOfBody()
      : body(spec(GetParam())),
        rho(random_densities(body.n_elements(), 0.02, 1)),
        r(reduced(body, rho)),
        points(mass_points(body, rho, r.shapes)),
        q(2e-3 * random_matrix(body.n_q(), 1, 2)),
        q_dot(random_matrix(body.n_q(), 1, 3)),
        v(random_matrix(3, 1, 4)),
        omega(random_matrix(3, 1, 5)) {}

  static VectorXd at(const Taylor& t, const VectorXd& q) { return TaylorOf<double>(t).at(q).reshaped(); }

  /// Equal up to rounding, which is relative to the largest entry.
  static void expect_equal(const MatrixXd& actual, const MatrixXd& expected) {
    ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.0);
    EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff());
  }

  FlexibleBody body;
  VectorXd rho;
  ReducedBody r;
  std::vector<MassPoint> points;
  VectorXd q, q_dot;
  Vector3d v, omega;
};

TEST_P(SidOfBody, MassMatrixEqualsIntegralsOverTheDeformedBody) {
  double mass = 0.0;
  Vector3d mc = Vector3d::Zero();
  Matrix3d J = Matrix3d::Zero();
  const Eigen::Index n = q.size();
  MatrixXd Ct = MatrixXd::Zero(n, 3), Cr = Ct, Me = MatrixXd::Zero(n, n);
  for (const MassPoint& p : points) {
    const Vector3d x = p.X + p.Phi * q;
    mass += p.dm;
    mc += p.dm * x;
    J += p.dm * tilde(x) * tilde(x).transpose();
    Ct += p.dm * p.Phi.transpose();
    Cr += p.dm * (tilde(x) * p.Phi).transpose();
    Me += p.dm * p.Phi.transpose() * p.Phi;
  }
  const SidOf<double> sid(r.sid);
  EXPECT_NEAR(sid.mass, mass, 1e-13 * mass);
  expect_equal(sid.mdCM.at(q), mc);
  expect_equal(sid.J.at(q), J);
  expect_equal(sid.Ct.M0, Ct);
  expect_equal(sid.Cr.at(q), Cr);
  expect_equal(sid.Me.M0, Me);
}

TEST_P(SidOfBody, InertiaForcesEqualIntegralsOfTheAcceleration) {
  // Acceleration of a material point less the terms of v_dot, omega_dot, q_ddot, in the body's frame.
  Vector3d h_t = Vector3d::Zero(), h_r = h_t;
  VectorXd h_e = VectorXd::Zero(q.size());
  for (const MassPoint& p : points) {
    const Vector3d x = p.X + p.Phi * q, x_dot = p.Phi * q_dot;
    const Vector3d a = omega.cross(v) + 2.0 * omega.cross(x_dot) + omega.cross(omega.cross(x));
    h_t += p.dm * a;
    h_r += p.dm * x.cross(a);
    h_e += p.dm * p.Phi.transpose() * a;
  }
  const SidOf<double> s(r.sid);
  const Vector3d mc = s.mdCM.at(q), Ct_q = s.Ct.M0.transpose() * q_dot, wv = omega.cross(v);
  const MatrixXd Gr = s.Gr.at(q);
  Matrix3d Gr_q = Matrix3d::Zero();
  MatrixXd Ge_q = MatrixXd::Zero(q.size(), 3);
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    Gr_q += Gr.middleCols(3 * k, 3) * q_dot[k];
    Ge_q += s.Ge.M0.middleCols(3 * k, 3) * q_dot[k];
  }
  Eigen::Matrix<double, 6, 1> products;
  products << omega.cwiseAbs2(), omega[0] * omega[1], omega[1] * omega[2], omega[0] * omega[2];
  expect_equal(s.mass * wv + 2.0 * omega.cross(Ct_q) + omega.cross(omega.cross(mc)), h_t);
  const Vector3d spin = s.J.at(q) * omega;
  expect_equal(mc.cross(wv) + omega.cross(spin) + Gr_q * omega, h_r);
  expect_equal(s.Ct.M0 * wv + s.Oe.at(q) * products + Ge_q * omega, h_e);
}

TEST_P(SidOfBody, StiffnessIsDiagonalAndDampingProportional) {
  const MatrixXd Ke = r.sid.Ke.M0, identity = MatrixXd::Identity(q.size(), q.size());
  EXPECT_EQ(Ke, MatrixXd(r.lambda.asDiagonal()));
  EXPECT_LT((r.sid.Me.M0 - identity).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((r.sid.De.M0 - 3.0 * r.sid.Me.M0 - 2e-5 * Ke).cwiseAbs().maxCoeff(), 1e-14 * Ke.maxCoeff());
  EXPECT_EQ(r.sid.ksigma.M0, MatrixXd::Zero(q.size(), 1));
}

TEST_P(SidOfBody, SecondOrderInertiaIsSymmetricInItsCoordinates) {
  const Eigen::Index n = q.size();
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index l = 0; l < k; ++l) {
      EXPECT_EQ(r.sid.J.Mn[k * n + l], r.sid.J.Mn[l * n + k]);
      EXPECT_EQ(r.sid.J.Mn[k * n + l], MatrixXd(r.sid.J.Mn[k * n + l].transpose()));
    }
  }
}

TEST_P(SidOfBody, NodesCarryPositionAndOrientationOfTheirMarkers) {
  ASSERT_EQ(r.sid.frame.size(), 1u);
  const SidNode& node = r.sid.frame[0];
  EXPECT_EQ(node.name, body.spec().markers[0].name);
  EXPECT_LT((node.origin.M0 - Vector3d(0.23, 0.01, GetParam() == 3 ? -0.02 : 0.0)).norm(), 1e-15);
  EXPECT_EQ(node.AP.M0, MatrixXd(Matrix3d::Identity()));
  EXPECT_GT(node.psi.M0.norm(), 0.0);
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    EXPECT_EQ(node.origin.M1[k], node.phi.M0.col(k));
    EXPECT_EQ(node.AP.M1[k], MatrixXd(tilde(node.psi.M0.col(k))));
  }
}

TEST_P(SidOfBody, GyroscopicCoefficientsAreAntisymmetricAndTwiceThoseOfRotation) {
  for (Eigen::Index l = 0; l < q.size(); ++l) {
    EXPECT_LT((r.sid.Ge.M0.middleCols(3 * l, 3) - 2.0 * r.sid.Cr.M1[l]).norm(), 1e-15);
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      EXPECT_LT((r.sid.Cr.M1[l].row(k) + r.sid.Cr.M1[k].row(l)).norm(), 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimension, SidOfBody, testing::Values(2, 3));

double inner_product(Sid a, Sid b) {
  std::vector<double> x, y;
  visit_entries(a, [&](double& entry) { x.push_back(entry); });
  visit_entries(b, [&](double& entry) { y.push_back(entry); });
  for (std::size_t i = 0; i < a.frame.size(); ++i) {
    for (std::size_t k = 0; k < a.frame[i].origin.M1.size(); ++k) {
      for (auto [s, list] : {std::pair(&a, &x), std::pair(&b, &y)}) {
        const SidNode& node = s->frame[i];
        list->insert(list->end(), node.origin.M1[k].reshaped().begin(), node.origin.M1[k].reshaped().end());
        list->insert(list->end(), node.AP.M1[k].reshaped().begin(), node.AP.M1[k].reshaped().end());
      }
    }
  }
  return Eigen::Map<VectorXd>(x.data(), x.size()).dot(Eigen::Map<VectorXd>(y.data(), y.size()));
}

/// A SID with every entry random.
Sid random_sid(Sid sid) {
  unsigned seed = 100;
  visit_entries(sid, [&](double& entry) { entry = random_matrix(1, 1, ++seed)(0, 0); });
  for (SidNode& node : sid.frame) {
    for (Taylor* t : {&node.origin, &node.AP}) {
      for (MatrixXd& m : t->M1) m = random_matrix(m.rows(), m.cols(), ++seed);
    }
  }
  return sid;
}

TEST(GramMap, TransposeSatisfiesTheInnerProductIdentity) {
  const Eigen::Index n_q = 3;
  const GramIndex at{n_q};
  const double alpha = 0.7, beta = 0.3;
  const MatrixXd G = random_matrix(at.size(), at.size(), 1), Ke = random_matrix(n_q, n_q, 2);
  const std::vector<MarkerShapes> markers = {
      {"a", Vector3d::Zero(), random_matrix(3, n_q, 3), random_matrix(3, n_q, 4)},
      {"b", Vector3d::Zero(), random_matrix(3, n_q, 5), random_matrix(3, n_q, 6)}};
  const Sid sid = sid_from_gram(G, Ke, alpha, beta, markers, {"1", "2", "3"});
  const Sid sid_bar = random_sid(sid);
  const GramBar bar = gram_from_sid_bar(sid_bar, alpha, beta);
  double backward = bar.G.cwiseProduct(G).sum() + bar.Ke.cwiseProduct(Ke).sum();
  for (std::size_t i = 0; i < markers.size(); ++i) {
    backward += bar.marker_Phi[i].cwiseProduct(markers[i].Phi).sum();
    backward += bar.marker_Psi[i].cwiseProduct(markers[i].Psi).sum();
  }
  const double forward = inner_product(sid, sid_bar);
  EXPECT_NEAR(backward, forward, 1e-12 * std::abs(forward));
}

TEST(GramMap, CountsAbsentOrdersOfASensitivityAsZero) {
  const GramIndex at{2};
  const Sid sid =
      sid_from_gram(random_matrix(at.size(), at.size(), 1), random_matrix(2, 2, 2), 0.0, 0.0, {}, {"1", "2"});
  Sid with_zeros = random_sid(sid), without = with_zeros;
  for (auto member : {&Sid::mdCM, &Sid::J, &Sid::Cr, &Sid::Gr, &Sid::Oe}) {
    for (MatrixXd& m : (with_zeros.*member).M1) m.setZero();
    for (MatrixXd& m : (with_zeros.*member).Mn) m.setZero();
    (without.*member).M1.clear();
    (without.*member).Mn.clear();
  }
  EXPECT_EQ(gram_from_sid_bar(with_zeros, 0.0, 0.0).G, gram_from_sid_bar(without, 0.0, 0.0).G);
}

}  // namespace
}  // namespace kurbel::fem::test
