/// @file
/// Small mechanisms of vectors x_a of R^3, a ConstantMassDae for tests: mass points, and rigid bodies (r, e1, e2, e3) in
/// natural coordinates.
#pragma once

#include <cmath>

#include "integration/constant_mass_dae.hpp"

namespace kurbel::test {

/// What a mechanism consists of. Every number is a parameter, in the order of the members that hold numbers.
struct NodeSpec {
  /// M has mass I_3 at nodes (a, b), and at (b, a).
  struct Mass {
    int a, b;
    double mass;
  };
  /// c = u . w - length^2 of two combinations; no length: a constant, 0 or 1.
  struct Product {
    VectorXd u, w;
    double constant = 0.0;
    bool has_length = false;
    double length = 0.0;
  };
  /// c = u[axis] - place - amplitude sin(frequency t) - rate t^2
  struct Drive {
    VectorXd u;
    int axis;
    double place = 0.0, amplitude = 0.0, frequency = 0.0, rate = 0.0;
  };
  /// Along the line from node a to node b.
  struct Spring {
    int a, b;
    double k, c, length;
  };
  int n_nodes = 0;
  std::vector<Mass> masses;
  std::vector<Product> products;
  std::vector<Drive> drives;
  std::vector<Spring> springs;
  std::vector<bool> falls;  ///< by node
  double gravity = 9.81;
  VectorXd x, v;          ///< at the start
  int scaled_node = -1;   ///< whose initial position grows with the length of the first product
  double velocity = 1.0;  ///< factor of v

  VectorXd numbers() const {
    std::vector<double> p;
    for (const Mass& m : masses) p.push_back(m.mass);
    for (const Product& c : products) p.push_back(c.length);
    for (const Drive& d : drives) p.push_back(d.amplitude);
    for (const Spring& s : springs) p.insert(p.end(), {s.k, s.c, s.length});
    p.insert(p.end(), {gravity, velocity});
    return VectorXd::Map(p.data(), static_cast<Eigen::Index>(p.size()));
  }
};

template <class S>
class NodeMechanism final : public ConstantMassDae<S> {
 public:
  using Base = ConstantMassDae<S>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;
  using V3 = Vector3<S>;

  NodeMechanism(NodeSpec spec, const VectorX<S>& p) : spec_(std::move(spec)), p_(p) {
    const Eigen::Index n = 3 * spec_.n_nodes;
    structure_ = {BlockMatrix<S>(n, n), BlockMatrix<S>(n, n), BlockMatrix<S>(n, n), BlockMatrix<S>(n_c(), n)};
    for (const auto& m : spec_.masses)
      for (const auto& [a, b] : {std::pair(m.a, m.b), std::pair(m.b, m.a)})
        structure_.M.add_block(3 * a, 3 * b, 3, 3);
    for (const auto& s : spec_.springs) {
      for (const int a : {s.a, s.b}) {
        for (const int b : {s.a, s.b}) {
          structure_.f_x.add_block(3 * a, 3 * b, 3, 3);
          structure_.f_v.add_block(3 * a, 3 * b, 3, 3);
        }
      }
    }
    Eigen::Index row = 0;
    for (const auto& c : spec_.products) {
      nodes_.emplace_back();
      for (int a = 0; a < spec_.n_nodes; ++a)
        if (c.u[a] != 0.0 || c.w[a] != 0.0) nodes_.back().push_back(a);
      for (const int a : nodes_.back()) {
        structure_.C.add_block(row, 3 * a, 1, 3);
        for (const int b : nodes_.back()) structure_.f_x.add_block(3 * a, 3 * b, 3, 3);
      }
      ++row;
    }
    for (const auto& d : spec_.drives) {
      for (int a = 0; a < spec_.n_nodes; ++a)
        if (d.u[a] != 0.0) structure_.C.add_block(row, 3 * a, 1, 3);
      ++row;
    }
    mass_ = structure_.M;
    for (std::size_t i = 0; i < spec_.masses.size(); ++i) {
      const auto& m = spec_.masses[i];
      mass_.block(3 * m.a, 3 * m.b, 3, 3).diagonal().setConstant(mass_of(i));
      mass_.block(3 * m.b, 3 * m.a, 3, 3).diagonal().setConstant(mass_of(i));
    }
  }

  const NodeSpec& spec() const { return spec_; }
  Eigen::Index n_x() const override { return 3 * spec_.n_nodes; }
  Eigen::Index n_c() const override {
    return static_cast<Eigen::Index>(spec_.products.size() + spec_.drives.size());
  }
  const Vec& parameters() const override { return p_; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<ConstantMassWorkspace<S>>(structure_.C);
  }
  DaeJacobians<S> make_jacobians() const override { return structure_; }
  const BlockMatrix<S>& mass() const override { return mass_; }

  void force(const OneSidedTime&, const Segment& x, const Segment& v, Workspace&,
             Eigen::Ref<Vec> F) const override {
    F.setZero();
    for (std::size_t i = 0; i < spec_.masses.size(); ++i) add_weight(i, gravity(), F);
    for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
      const Strut s = strut(i, x, v);
      F.template segment<3>(s.a) += s.tension * s.n;
      F.template segment<3>(s.b) -= s.tension * s.n;
    }
  }
  void force_jacobians(const OneSidedTime&, const Segment& x, const Segment& v, Workspace&,
                       DaeJacobians<S>& out) const override {
    out.f_x.set_zero(), out.f_v.set_zero();
    for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
      const Strut s = strut(i, x, v);
      const Matrix3<S> normal = s.n * s.n.transpose(), across = Matrix3<S>::Identity() - normal;
      const Matrix3<S> by_x = stiffness(i) * normal + s.tension / s.length * across +
                              damping(i) / s.length * s.n * (across * s.rate).transpose();
      const Matrix3<S> by_v = damping(i) * normal;
      for (const auto& [row, sign] : {std::pair(s.a, 1.0), std::pair(s.b, -1.0)}) {
        for (const auto& [col, other] : {std::pair(s.a, 1.0), std::pair(s.b, -1.0)}) {
          out.f_x.block(row, col, 3, 3) += sign * other * by_x;
          out.f_v.block(row, col, 3, 3) += sign * other * by_v;
        }
      }
    }
  }
  void constraints(double t, const Segment& x, Workspace&, Eigen::Ref<Vec> c,
                   BlockMatrix<S>& C) const override {
    C.set_zero();
    Eigen::Index row = 0;
    for (const auto& product : spec_.products) {
      const V3 u = sum(product.u, x), w = sum(product.w, x);
      c[row] = (u.transpose() * w).value() - value(row);
      for (const int a : nodes_[static_cast<std::size_t>(row)])
        C.block(row, 3 * a, 1, 3) = (product.u[a] * w + product.w[a] * u).transpose();
      ++row;
    }
    for (const auto& d : spec_.drives) {
      c[row] =
          sum(d.u, x)[d.axis] - d.place - p_[amplitude(row)] * std::sin(d.frequency * t) - d.rate * t * t;
      for (int a = 0; a < spec_.n_nodes; ++a)
        if (d.u[a] != 0.0) C.block(row, 3 * a, 1, 3)(0, d.axis) = d.u[a];
      ++row;
    }
  }
  void constraint_rate(double t, Workspace&, Eigen::Ref<Vec> c_t) const override {
    c_t.setZero();
    Eigen::Index row = std::ssize(spec_.products);
    for (const auto& d : spec_.drives) {
      c_t[row] = -p_[amplitude(row)] * d.frequency * std::cos(d.frequency * t) - 2.0 * d.rate * t;
      ++row;
    }
  }
  void constraint_acceleration(double t, Workspace&, Eigen::Ref<Vec> c_tt) const override {
    c_tt.setZero();
    Eigen::Index row = std::ssize(spec_.products);
    for (const auto& d : spec_.drives) {
      c_tt[row] = p_[amplitude(row)] * d.frequency * d.frequency * std::sin(d.frequency * t) - 2.0 * d.rate;
      ++row;
    }
  }
  void add_reaction_jacobian(const Segment&, const Segment& a, double weight, Workspace&,
                             BlockMatrix<S>& K) const override {
    Eigen::Index row = 0;
    for (const auto& c : spec_.products) {
      for (const int i : nodes_[static_cast<std::size_t>(row)]) {
        for (const int j : nodes_[static_cast<std::size_t>(row)]) {
          K.block(3 * i, 3 * j, 3, 3).diagonal().array() +=
              weight * a[row] * (c.u[i] * c.w[j] + c.w[i] * c.u[j]);
        }
      }
      ++row;
    }
  }
  void pullback_motion(const OneSidedTime&, const Segment& x, const Segment& v, const Segment& a,
                       const Segment& w, Workspace&, Eigen::Ref<Vec> p_bar) const override {
    for (std::size_t i = 0; i < spec_.masses.size(); ++i) {
      const auto& m = spec_.masses[i];
      const auto pair = [&](int r, int c) -> S {
        S sum = (w.template segment<3>(3 * r).transpose() * a.template segment<3>(3 * c)).value();
        if (spec_.falls[static_cast<std::size_t>(c)]) {
          sum += w[3 * r + 2] * gravity();
          p_bar[p_bar.size() - 2] += w[3 * r + 2] * mass_of(i);
        }
        return sum;
      };
      p_bar[static_cast<Eigen::Index>(i)] += pair(m.a, m.b);
      if (m.a != m.b) p_bar[static_cast<Eigen::Index>(i)] += pair(m.b, m.a);
    }
    for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
      const Strut s = strut(i, x, v);
      const S along = (s.n.transpose() * (w.template segment<3>(s.b) - w.template segment<3>(s.a))).value();
      const Eigen::Index p = spring(i);
      p_bar[p] += along * (s.length - p_[p + 2]);
      p_bar[p + 1] += along * (s.n.transpose() * s.rate).value();
      p_bar[p + 2] -= along * p_[p];
    }
  }
  void pullback_positions(double t, const Segment&, const Segment& mu, const Segment&, const Segment&,
                          Workspace&, Eigen::Ref<Vec> p_bar) const override {
    add_constraint_bars(t, mu, 0, p_bar);
  }
  void pullback_constraints(const DaeInstant<S>& at, const Segment& w0, const Segment& w1, const Segment& w2,
                            Workspace&, Eigen::Ref<Vec> p_bar) const override {
    add_constraint_bars(at.t, w0, 0, p_bar);
    add_constraint_bars(at.t, w1, 1, p_bar);
    add_constraint_bars(at.t, w2, 2, p_bar);
  }

  /// How often the start was solved.
  int n_starts() const { return n_starts_; }
  void given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const override {
    ++n_starts_;
    x = spec_.x.cast<S>();
    if (spec_.scaled_node >= 0) {
      const Eigen::Index length = std::ssize(spec_.masses);
      x.template segment<3>(3 * spec_.scaled_node) *= p_[length] / spec_.products.front().length;
    }
    v = p_[p_.size() - 1] * spec_.v.cast<S>();
  }
  void push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const override {
    x_dot.setZero();
    if (spec_.scaled_node < 0) return;
    x_dot.middleRows(3 * spec_.scaled_node, 3) =
        growth().template cast<S>() * p_dot.row(std::ssize(spec_.masses));
  }
  void pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const override {
    if (spec_.scaled_node < 0) return;
    p_bar[std::ssize(spec_.masses)] +=
        (growth().template cast<S>().transpose() * x_bar.segment(3 * spec_.scaled_node, 3)).value();
  }
  void push_forward_given_velocity(const Segment&, const ConstColumns& p_dot, Columns v_dot) const override {
    v_dot = spec_.v.template cast<S>() * p_dot.row(p_dot.rows() - 1);
  }
  void pullback_given_velocity(const Segment&, const Segment& v_bar, Eigen::Ref<Vec> p_bar) const override {
    p_bar[p_bar.size() - 1] += (spec_.v.template cast<S>().transpose() * v_bar).value();
  }

  std::string coordinate_name(Eigen::Index i) const override { return "node " + std::to_string(i / 3); }
  std::string coordinate_label(Eigen::Index i) const override { return std::to_string(i); }
  std::string constraint_name(Eigen::Index i) const override { return "constraint " + std::to_string(i); }

 private:
  /// A spring at x, v.
  struct Strut {
    Eigen::Index a, b;  ///< where its nodes stand
    V3 n, rate;         ///< its direction, and the difference of velocities
    S length, tension;
  };
  Strut strut(std::size_t i, const Segment& x, const Segment& v) const {
    using std::sqrt;
    const auto& spec = spec_.springs[i];
    Strut s{3 * spec.a, 3 * spec.b, {}, {}, S(0), S(0)};
    const V3 d = x.template segment<3>(s.b) - x.template segment<3>(s.a);
    s.rate = v.template segment<3>(s.b) - v.template segment<3>(s.a);
    s.length = sqrt((d.transpose() * d).value());
    s.n = d / s.length;
    s.tension =
        stiffness(i) * (s.length - p_[spring(i) + 2]) + damping(i) * (s.n.transpose() * s.rate).value();
    return s;
  }
  V3 sum(const VectorXd& weights, const Segment& x) const {
    V3 out = V3::Zero();
    for (int a = 0; a < spec_.n_nodes; ++a) out += weights[a] * x.template segment<3>(3 * a);
    return out;
  }
  void add_weight(std::size_t i, const S& g, Eigen::Ref<Vec> F) const {
    const auto& m = spec_.masses[i];
    if (spec_.falls[static_cast<std::size_t>(m.b)]) F[3 * m.a + 2] -= mass_of(i) * g;
    if (m.a != m.b && spec_.falls[static_cast<std::size_t>(m.a)]) F[3 * m.b + 2] -= mass_of(i) * g;
  }
  Vector3d growth() const {
    return spec_.x.segment<3>(3 * spec_.scaled_node) / spec_.products.front().length;
  }
  const S& mass_of(std::size_t i) const { return p_[static_cast<Eigen::Index>(i)]; }
  const S& gravity() const { return p_[p_.size() - 2]; }
  S value(Eigen::Index row) const {
    const auto& product = spec_.products[static_cast<std::size_t>(row)];
    const S& length = p_[std::ssize(spec_.masses) + row];
    return product.has_length ? S(length * length) : S(product.constant);
  }
  Eigen::Index amplitude(Eigen::Index row) const { return std::ssize(spec_.masses) + row; }
  Eigen::Index spring(std::size_t i) const {
    return std::ssize(spec_.masses) + n_c() + 3 * static_cast<Eigen::Index>(i);
  }
  const S& stiffness(std::size_t i) const { return p_[spring(i)]; }
  const S& damping(std::size_t i) const { return p_[spring(i) + 1]; }
  void add_constraint_bars(double t, const Segment& w, int level, Eigen::Ref<Vec> p_bar) const {
    const Eigen::Index first = std::ssize(spec_.masses);
    Eigen::Index row = 0;
    for (const auto& product : spec_.products) {
      if (level == 0 && product.has_length) p_bar[first + row] -= 2.0 * p_[first + row] * w[row];
      ++row;
    }
    for (const auto& d : spec_.drives) {
      const double phase = d.frequency * t;
      const double by_amplitude = level == 0   ? std::sin(phase)
                                  : level == 1 ? d.frequency * std::cos(phase)
                                               : -d.frequency * d.frequency * std::sin(phase);
      p_bar[first + row] -= by_amplitude * w[row];
      ++row;
    }
  }

  NodeSpec spec_;
  std::vector<std::vector<int>> nodes_;  ///< of each product
  Vec p_;
  DaeJacobians<S> structure_;
  BlockMatrix<S> mass_;
  mutable int n_starts_ = 0;
};

}  // namespace kurbel::test
