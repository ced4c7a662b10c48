#include "floating_frame/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"

namespace kurbel {

namespace {

/// Copies a coefficient, or the coefficients of one order side by side, into (or out of) its block.
class Transfer {
 public:
  enum class Direction { to_vector, to_sid };
  Transfer(Direction direction, double* p) : direction_(direction), p_(p) {}

  void operator()(const ParameterBlock& b, MatrixXd& coefficient) const {
    Eigen::Map<MatrixXd> column(p_ + b.offset, coefficient.rows(), coefficient.cols());
    if (direction_ == Direction::to_vector) {
      column = coefficient;
    } else {
      coefficient = column;
    }
  }

  void operator()(const ParameterBlock& b, std::vector<MatrixXd>& coefficients) const {
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      (*this)({b.offset + static_cast<Eigen::Index>(k) * b.rows, b.rows, 1}, coefficients[k]);
    }
  }

 private:
  Direction direction_;
  double* p_;
};

template <class Action>
void for_each_coefficient(const BodyLayout& b, Sid& sid, const Action& act) {
  MatrixXd mass(1, 1);
  mass(0, 0) = sid.refmod.mass;
  act(b.mass, mass);
  sid.refmod.mass = mass(0, 0);
  act(b.mdCM0, sid.mdCM.M0), act(b.mdCM1, sid.mdCM.M1);
  act(b.J0, sid.J.M0), act(b.J1, sid.J.M1), act(b.Jn, sid.J.Mn);
  act(b.Ct0, sid.Ct.M0), act(b.Ct1, sid.Ct.M1);
  act(b.Cr0, sid.Cr.M0), act(b.Cr1, sid.Cr.M1);
  act(b.Me, sid.Me.M0);
  act(b.Gr0, sid.Gr.M0), act(b.Gr1, sid.Gr.M1);
  act(b.Ge, sid.Ge.M0);
  act(b.Oe0, sid.Oe.M0), act(b.Oe1, sid.Oe.M1);
  act(b.ksigma, sid.ksigma.M0);
  act(b.Ke, sid.Ke.M0), act(b.De, sid.De.M0);
  for (std::size_t k = 0; k < b.markers.size(); ++k) {
    act(b.markers[k].R, sid.frame[k].origin.M0);
    act(b.markers[k].Phi, sid.frame[k].phi.M0), act(b.markers[k].Phi1, sid.frame[k].phi.M1);
    act(b.markers[k].Psi, sid.frame[k].psi.M0);
  }
}

void require_shape(const std::string& body, const char* name, const Taylor& t, Eigen::Index rows,
                   Eigen::Index cols, Eigen::Index n_q, int max_order) {
  const bool fits = t.nrow() == rows && t.ncol() == cols && t.order() <= max_order &&
                    (t.M1.empty() || t.M1.size() == static_cast<std::size_t>(n_q)) &&
                    (t.Mn.empty() || t.Mn.size() == static_cast<std::size_t>(n_q * n_q));
  if (!fits) {
    throw InputError(
        fmt::format("body {}: SID coefficient {} is {} x {} of order {}; {} x {} of order at most {} is "
                    "needed for {} elastic coordinates",
                    body, name, t.nrow(), t.ncol(), t.order(), rows, cols, max_order, n_q));
  }
}

void require_shapes(const std::string& body, const Sid& sid) {
  const Eigen::Index n = sid.n_q();
  require_shape(body, "mdCM", sid.mdCM, 3, 1, n, 1);
  require_shape(body, "J", sid.J, 3, 3, n, 2);
  require_shape(body, "Ct", sid.Ct, n, 3, n, 1);
  require_shape(body, "Cr", sid.Cr, n, 3, n, 1);
  require_shape(body, "Me", sid.Me, n, n, n, 0);
  require_shape(body, "Gr", sid.Gr, 3, 3 * n, n, 1);
  require_shape(body, "Ge", sid.Ge, n, 3 * n, n, 0);
  require_shape(body, "Oe", sid.Oe, n, 6, n, 1);
  require_shape(body, "ksigma", sid.ksigma, n, 1, n, 0);
  require_shape(body, "Ke", sid.Ke, n, n, n, 0);
  require_shape(body, "De", sid.De, n, n, n, 0);
  for (const SidNode& node : sid.frame) {
    const std::string owner = fmt::format("{}, node {}", body, node.name);
    require_shape(owner, "origin", node.origin, 3, 1, n, 1);
    require_shape(owner, "phi", node.phi, 3, n, n, 1);
    require_shape(owner, "psi", node.psi, 3, n, n, 0);
    require_shape(owner, "AP", node.AP, 3, 3, n, 1);
  }
}

}  // namespace

ParameterLayout::ParameterLayout(const SystemSpec& spec) {
  const auto add = [this](Eigen::Index rows, Eigen::Index cols) {
    const ParameterBlock block{size_, rows, cols};
    size_ += block.size();
    return block;
  };
  for (const BodySpec& body : spec.bodies) {
    BodyLayout b;
    const Eigen::Index n = b.n_q = body.sid.n_q(), first = size_;
    b.mass = add(1, 1);
    b.mdCM0 = add(3, 1), b.mdCM1 = add(3, n);
    b.J0 = add(9, 1), b.J1 = add(9, n), b.Jn = add(9, n * n);
    b.Ct0 = add(n, 3), b.Ct1 = body.sid.Ct.M1.empty() ? add(0, 0) : add(3 * n, n);
    b.Cr0 = add(n, 3), b.Cr1 = add(3 * n, n);
    b.Me = add(n, n);
    b.Gr0 = add(9, n), b.Gr1 = add(9 * n, n);
    b.Ge = add(3 * n, n);
    b.Oe0 = add(n, 6), b.Oe1 = add(6 * n, n);
    b.ksigma = add(n, 1);
    b.Ke = add(n, n), b.De = add(n, n);
    for (std::size_t k = 0; k < body.sid.frame.size(); ++k) {
      const ParameterBlock R = add(3, 1), Phi = add(3, n), Psi = add(3, n);
      b.markers.push_back({R, Phi, Psi});
      if (body.sid.frame[k].phi.M1.empty()) continue;
      b.markers.back().Phi1 = add(3 * n, n), b.markers.back().shapes = b.n_shapes;
      b.n_shapes += 3 * n;
    }
    b.all = {first, size_ - first, 1};
    bodies_.push_back(b);
  }
  add_part_numbers(spec);
  for (std::size_t i = 0; i < spec.ground.size(); ++i) {
    const ParameterBlock R = add(3, 1);
    ground_.push_back({R, {R.offset, 3, 0}, {R.offset, 3, 0}});
  }
  for (const BodySpec& body : spec.bodies) {
    InitialLayout initial;
    for (const InitialPart& part : initial_parts) {
      if (body.initial.parameters.*part.flag) initial.*part.place = add(3, 1).offset;
    }
    initial_.push_back(initial);
  }
  for (const JointSpec& joint : spec.joints) {
    drives_.emplace_back();
    for (const DriveSpec& drive : joint.drives)
      drives_.back().push_back(drive.table && drive.table->basis ? add(drive.table->values.size(), 1)
                                                                 : ParameterBlock{});
  }
  if (spec.time.varies) end_ = add(1, 1).offset;
  for (const PlanarBeamSpec& beam : spec.planar_beams)
    planar_beams_.push_back(
        {add(PlanarBeamSpec::n_quantities, static_cast<Eigen::Index>(beam.n_elements)).offset});
}

/// Places the numbers of each section, part by part.
void ParameterLayout::add_part_numbers(const SystemSpec& spec) {
  const std::vector<PartNumber>& table = part_numbers();
  numbers_.resize(table.size());
  for (auto first = table.begin(); first != table.end();) {
    const auto end = std::find_if(first, table.end(),
                                  [&](const PartNumber& row) { return row.n_parts != first->n_parts; });
    for (std::size_t part = 0; part < first->n_parts(spec); ++part) {
      for (auto row = first; row != end; ++row) {
        const Eigen::Index n = std::max(std::ssize(values_in(*row, spec, part)), row->least);
        numbers_[static_cast<std::size_t>(row - table.begin())].push_back({size_, n, 1});
        size_ += n;
      }
    }
    first = end;
  }
}

void ParameterLayout::set_part_numbers(const SystemSpec& spec, VectorXd& p) const {
  for (std::size_t row = 0; row < numbers_.size(); ++row) {
    for (std::size_t part = 0; part < numbers_[row].size(); ++part) {
      const ParameterBlock& block = numbers_[row][part];
      const std::span<const double> numbers = values_in(part_numbers()[row], spec, part);
      const bool may_be_absent = block.rows == part_numbers()[row].least;
      if (std::ssize(numbers) != block.rows && !(numbers.empty() && may_be_absent))
        throw InputError(fmt::format("{} {}: {} values in place of {}", part_numbers()[row].section,
                                     part_numbers()[row].key, numbers.size(), block.rows));
      std::ranges::copy(numbers, p.data() + block.offset);
    }
  }
}

VectorXd ParameterLayout::values(const SystemSpec& spec) const {
  VectorXd p = VectorXd::Zero(size_);
  const Transfer to_vector(Transfer::Direction::to_vector, p.data());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Sid sid = spec.bodies[i].sid;
    if (sid.n_q() != bodies_[i].n_q || sid.frame.size() != bodies_[i].markers.size()) {
      throw InputError(fmt::format(
          "body {}: {} elastic coordinates and {} nodes, where {} and {} were expected", spec.bodies[i].name,
          sid.n_q(), sid.frame.size(), bodies_[i].n_q, bodies_[i].markers.size()));
    }
    require_shapes(spec.bodies[i].name, sid);
    if (!sid.Ct.M1.empty() && !bodies_[i].second_order()) {
      throw InputError(fmt::format("body {}: SID coefficient Ct has become of order 1", spec.bodies[i].name));
    }
    for (std::size_t k = 0; k < sid.frame.size(); ++k) {
      if (sid.frame[k].phi.M1.empty() || bodies_[i].markers[k].second_order()) continue;
      throw InputError(fmt::format("body {}, node {}: SID coefficient phi has become of order 1",
                                   spec.bodies[i].name, sid.frame[k].name));
    }
    for_each_coefficient(bodies_[i], sid, to_vector);
  }
  set_part_numbers(spec, p);
  for (std::size_t i = 0; i < ground_.size(); ++i)
    p.segment<3>(ground_[i].R.offset) = spec.ground[i].origin.M0;
  for (std::size_t i = 0; i < initial_.size(); ++i) {
    for (const InitialPart& part : initial_parts) {
      if (const Eigen::Index index = initial_[i].*part.place; index >= 0)
        p.segment<3>(index) = spec.bodies[i].initial.*part.value;
    }
  }
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    for (std::size_t k = 0; k < drives_[i].size(); ++k) {
      const ParameterBlock& block = drives_[i][k];
      if (block.size() > 0) p.segment(block.offset, block.rows) = spec.joints[i].drives[k].table->values;
    }
  }
  if (end_ >= 0) p[end_] = spec.time.t1;
  for (std::size_t i = 0; i < planar_beams_.size(); ++i) {
    for (int quantity = 0; quantity < PlanarBeamSpec::n_quantities; ++quantity) {
      const std::vector<double>& values = spec.planar_beams[i].elements[static_cast<std::size_t>(quantity)];
      for (std::size_t e = 0; e < values.size(); ++e) p[planar_beams_[i].number(e, quantity)] = values[e];
    }
  }
  return p;
}

Sid ParameterLayout::sid_bar(std::size_t body, const SystemSpec& spec, const VectorXd& bars) const {
  const Sid& sid = spec.bodies[body].sid;
  std::vector<std::string> names;
  for (const SidNode& node : sid.frame) names.push_back(node.name);
  Sid bar = Sid::zeros(sid.refmod.ielastq, names);
  if (bodies_[body].second_order()) bar.Ct = Taylor::zero(sid.n_q(), 3, sid.n_q(), 1);
  for (std::size_t k = 0; k < bar.frame.size(); ++k) {
    if (bodies_[body].markers[k].second_order()) bar.frame[k].phi = Taylor::zero(3, sid.n_q(), sid.n_q(), 1);
  }
  VectorXd copy = VectorXd::Zero(size_);
  copy.segment(bodies_[body].all.offset, bars.size()) = bars;
  for_each_coefficient(bodies_[body], bar, Transfer(Transfer::Direction::to_sid, copy.data()));
  return bar;
}

}  // namespace kurbel
