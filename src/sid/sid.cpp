#include "sid/sid.hpp"

#include <algorithm>

namespace kurbel {

const SidNode* Sid::find_node(const std::string& name) const {
  const auto it = std::find_if(frame.begin(), frame.end(), [&](const SidNode& n) { return n.name == name; });
  return it == frame.end() ? nullptr : &*it;
}

Sid Sid::zeros(std::vector<std::string> elastic_coordinates, const std::vector<std::string>& node_names) {
  Sid sid;
  const Eigen::Index n_q = static_cast<Eigen::Index>(elastic_coordinates.size());
  sid.refmod.ielastq = std::move(elastic_coordinates);
  for (const std::string& name : node_names) {
    sid.frame.push_back(make_sid_node(name, Vector3d::Zero(), Matrix3d::Zero(), n_q));
  }
  sid.mdCM = Taylor::zero(3, 1, n_q, 1);
  sid.J = Taylor::zero(3, 3, n_q, 2);
  sid.Ct = Taylor::zero(n_q, 3);
  sid.Cr = Taylor::zero(n_q, 3, n_q, 1);
  sid.Me = Taylor::zero(n_q, n_q);
  sid.Gr = Taylor::zero(3, 3 * n_q, n_q, 1);
  sid.Ge = Taylor::zero(n_q, 3 * n_q);
  sid.Oe = Taylor::zero(n_q, 6, n_q, 1);
  sid.ksigma = Taylor::zero(n_q, 1);
  sid.Ke = Taylor::zero(n_q, n_q);
  sid.De = Taylor::zero(n_q, n_q);
  return sid;
}

namespace {

void add(Taylor& to, const Taylor& bar) {
  to.M0 += bar.M0;
  for (std::size_t k = 0; k < to.M1.size(); ++k) to.M1[k] += bar.M1[k];
  for (std::size_t k = 0; k < to.Mn.size(); ++k) to.Mn[k] += bar.Mn[k];
}

}  // namespace

void add(Sid& to, const Sid& bar) {
  to.refmod.mass += bar.refmod.mass;
  for (std::size_t k = 0; k < to.frame.size(); ++k) {
    SidNode& node = to.frame[k];
    for (Taylor SidNode::*part : {&SidNode::origin, &SidNode::phi, &SidNode::psi, &SidNode::AP})
      add(node.*part, bar.frame[k].*part);
  }
  for (Taylor Sid::*part : {&Sid::mdCM, &Sid::J, &Sid::Ct, &Sid::Cr, &Sid::Me, &Sid::Gr, &Sid::Ge, &Sid::Oe,
                            &Sid::ksigma, &Sid::Ke, &Sid::De})
    add(to.*part, bar.*part);
}

SidNode make_sid_node(const std::string& name, const Vector3d& R, const Matrix3d& A0, Eigen::Index n_q) {
  SidNode node;
  node.name = name;
  node.origin = Taylor::zero(3, 1, n_q, 1);
  node.origin.M0 = R;
  node.phi = Taylor::zero(3, n_q);
  node.psi = Taylor::zero(3, n_q);
  node.AP = Taylor::zero(3, 3, n_q, 1);
  node.AP.M0 = A0;
  return node;
}

Sid make_rigid_sid(double mass, const Vector3d& com, const Matrix3d& J_com, std::vector<SidNode> nodes) {
  Sid sid = Sid::zeros({}, {});
  sid.frame = std::move(nodes);
  sid.refmod.mass = mass;
  sid.mdCM.M0 = mass * com;
  sid.J.M0 = J_com + mass * (com.squaredNorm() * Matrix3d::Identity() - com * com.transpose());
  return sid;
}

}  // namespace kurbel
