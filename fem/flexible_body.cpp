#include "fem/flexible_body.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "fem/basis_derivatives.hpp"
#include "fem/faces.hpp"
#include "fem/inverse_choice.hpp"
#include "fem/mesh_source.hpp"
#include "fem/modal_damping.hpp"
#include "fem/moved_mesh.hpp"
#include "fem/pullback.hpp"
#include "fem/rigid_ties.hpp"
#include "fem/row_sums.hpp"
#include "fem/simp.hpp"
#include "fem/spec_check.hpp"
#include "fem/surface_morph.hpp"

namespace kurbel::fem {

namespace {

class Stopwatch {
 public:
  /// Seconds since the last call, or since construction.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::shared_ptr<const Mesh> checked_mesh(const FlexibleBodySpec& spec) {
  std::shared_ptr<const Mesh> mesh = make_mesh(spec.mesh);
  if (const auto problem = find_problem(spec, *mesh)) {
    throw InputError(fmt::format("bodies.{}.{}: {}", spec.name, problem->key, problem->message));
  }
  return mesh;
}

/// With the map of a surface that moves.
FlexibleBodySpec with_morph(FlexibleBodySpec spec) {
  if (!spec.surface) return spec;
  std::shared_ptr<const Mesh> mesh = checked_mesh(spec);
  if (!spec.mesh.given || mesh->n_classes() != mesh->n_elements())
    throw InputError(
        fmt::format("bodies.{}.mesh: the surface of a box of equal elements cannot move", spec.name));
  spec.mesh.morph = std::make_shared<const SurfaceMorph>(spec, std::move(mesh));
  return spec;
}

/// Scatters the Gram matrix of the fields that do not vanish in 2D into the layout of GramIndex.
MatrixXd full_gram(const MatrixXd& compact, int dim, Eigen::Index n_q) {
  const GramIndex at{n_q};
  const std::vector<Eigen::Index> place = compact_fields(dim, at);
  MatrixXd G = MatrixXd::Zero(at.size(), at.size());
  G(place, place) = compact;
  return G;
}

}  // namespace

FlexibleBody::FlexibleBody(FlexibleBodySpec spec) : FlexibleBody(spec, inverse_of(spec)) {}

FlexibleBody::FlexibleBody(FlexibleBodySpec spec, const MakeInverse& make_inverse)
    : spec_(with_morph(std::move(spec))),
      mesh_(checked_mesh(spec_)),
      shapes_(std::make_shared<const ShapeClasses>(spec_, mesh_, spec_.mesh.size)),
      assembly_(*mesh_, clamped_nodes(spec_, *mesh_), shapes_->matrices()),
      frame_(spec_, *mesh_, assembly_.order()),
      loads_(elastic_loads(spec_, *mesh_)),
      placed_(spec_.mesh.size),
      K_(make_inverse(assembly_)),
      m_(assembly_.make_mass()),
      modes_counted_(!spec_.modes_up_to) {
  place_markers();
  if (spec_.geometric_stiffening) marker_forces_ = unit_forces(markers_, assembly_.order(), mesh_->dim());
}

FlexibleBody::~FlexibleBody() = default;

Mesh::Points FlexibleBody::positions(const MeshShape& shape) const {
  return mesh_source(spec_.mesh)->positions(shape);
}

std::shared_ptr<const ShapeClasses> FlexibleBody::shapes_at(const MeshShape& shape) const {
  return shape == placed_ ? shapes_ : std::make_shared<const ShapeClasses>(spec_, mesh_, shape);
}

void FlexibleBody::place_nodes(const MeshShape& shape) {
  shapes_ = shapes_at(shape);
  placed_ = shape;
  assembly_.set_matrices(shapes_->matrices());
  place_markers();
}

void FlexibleBody::place_markers() {
  positions_ = positions(placed_);
  markers_.clear();
  for (const MarkerSpec& marker : spec_.markers) {
    markers_.emplace_back(marker.name, marker_nodes(marker, *mesh_), positions_, mesh_->dim(),
                          assembly_.order());
  }
  B_T_ = load_matrix(loads_, markers_, assembly_.order(), mesh_->dim());
}

Failure FlexibleBody::located(Failure failure) const {
  failure.where = fmt::format("body {}", spec_.name);
  return failure;
}

Status FlexibleBody::solved() const {
  const Status status = K_->status();
  return status.failed() ? located(status.failure()) : Status{};
}

Status FlexibleBody::hold(const BodyDesign& design) {
  ReductionTimes times;
  return prepare(design, times);
}

Status FlexibleBody::check_moved_surface(const BodyDesign& design) const {
  if (design.offsets.size() == 0) return {};
  if (const auto e = inverted_element(spec_.mesh, design.shape()))
    return located({fmt::format("the offsets of the surface turn element {} inside out", *e), "",
                    "bound the variable's `distortion`, or raise its radius"});
  if (const auto x = crossing_of_surface(spec_.mesh, design.shape()))
    return located(
        {fmt::format("the offsets let the surface pass through itself at ({:.4g}, {:.4g}, {:.4g}) m", x->x(),
                     x->y(), x->z()),
         "", "bound them closer, or state places near the gap as `fixed`"});
  return {};
}

Status FlexibleBody::prepare(const BodyDesign& design, ReductionTimes& times) {
  if (prepared_ && is_same(*prepared_, design)) return {};
  require_valid(spec_, n_elements(), design, fmt::format("body {}", spec_.name));
  if (!shape_may_vary() &&
      (design.size.head(mesh_->dim()) != spec_.mesh.size.head(mesh_->dim()) || !design.offsets.isZero(0.0))) {
    throw InputError(
        fmt::format("body {}: the shape of the mesh can vary in a tangent frame with the normal basis, "
                    "without geometric stiffening and rigid ties, only",
                    spec_.name));
  }
  prepared_.reset();
  Stopwatch watch;
  if (Status s = check_moved_surface(design); s.failed()) return s;
  if (!(design.shape() == placed_)) place_nodes(design.shape());
  const ElementFactors factors = element_factors(spec_, design);
  assembly_.assemble_mass(factors.mass, m_);
  frame_.update(m_);
  times.assembly = watch.lap();
  const StiffnessInverse::Outcome outcome = K_->update(factors.stiffness, frame_.springs());
  times.factor = watch.lap();
  if (outcome == StiffnessInverse::Outcome::out_of_memory) {
    return located({"the factor of the stiffness does not fit into memory", "", "use a coarser mesh"});
  }
  if (outcome == StiffnessInverse::Outcome::singular) {
    return located({"the stiffness is singular: a part of the body is not connected to the clamp", "",
                    "raise the lowest density (simp.p_min)"});
  }
  prepared_ = design;
  return {};
}

Status FlexibleBody::count_modes(const BodyDesign& design) {
  if (modes_counted_) return {};
  ReductionTimes times;
  if (Status s = prepare(design, times); s.failed()) return s;
  if (Status s = make_basis(spec_.basis)->count_modes(held(), *spec_.modes_up_to, spec_.n_normal_modes);
      s.failed()) {
    return located(s.failure());
  }
  if (n_q() == 0) {
    return located({fmt::format("no normal mode lies below {:g} Hz, and there is no attachment mode",
                                *spec_.modes_up_to),
                    "", "raise modes.up_to"});
  }
  modes_counted_ = true;
  return {};
}

Status FlexibleBody::reduce(const BodyDesign& design, ReducedBody& out) {
  out.times = {};
  if (Status s = prepare(design, out.times); s.failed()) return s;
  if (Status s = count_modes(design); s.failed()) return s;
  Stopwatch watch;
  std::unique_ptr<ModalBasis> basis = make_basis(spec_.basis);
  if (Status s = basis->find(held(), choice()); s.failed()) return located(s.failure());
  out.basis = std::move(basis);
  out.times.modes = watch.lap();
  if (Status s = collect(out); s.failed()) return located(s.failure());
  out.times.gram = watch.lap();
  return solved();
}

Status FlexibleBody::collect(ReducedBody& out) const {
  const int dim = mesh_->dim();
  const NormalModes& normal = out.basis->normal();
  out.lambda = out.basis->lambda();
  out.frequencies_hz = normal.lambda.unaryExpr(&frequency_hz);
  out.next_frequency_hz = frequency_hz(normal.lambda_next);
  fill_fields(positions_, assembly_.order(), dim, out.basis->shapes(), out.W);
  m_.multiply(out.W, out.m_W);
  const MatrixXd compact = gram(out.W, out.m_W);
  out.G = full_gram(0.5 * (compact + compact.transpose()), dim, n_q());
  out.markers.resize(markers_.size());
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    MarkerShapes& shapes = out.markers[i];
    shapes.name = markers_[i].name();
    shapes.R = markers_[i].position();
    markers_[i].apply(out.W, 1 + dim, dim, shapes.Phi, shapes.Psi);
  }
  out.sid = sid_from_gram(out.G, out.lambda.asDiagonal(), spec_.damping_alpha, spec_.damping_beta,
                          out.markers, out.basis->names(choice()));
  out.stiffening = {};
  if (spec_.geometric_stiffening) {
    const ElementFactors factors = element_factors(spec_, *prepared_);
    out.stiffening = find_geometric_stiffening(stress_model(factors.stiffness), *K_, out.W, out.m_W);
    add_second_order_displacement(out.stiffening.moments, out.sid);
    for (std::size_t i = 0; i < markers_.size(); ++i) out.sid.frame[i].phi.M1 = out.stiffening.markers[i];
  }
  out.shapes = by_node(out.W, 1 + mesh_->dim(), n_q());
  return add_modal_damping(damping_ratios(), out.lambda, out.sid);
}

VectorXd FlexibleBody::damping_ratios() const {
  return fem::damping_ratios(spec_.damping_modal, n_q());
}

GramBar FlexibleBody::gram_bar(const ReducedBody& reduced, const Sid& sid_bar) const {
  Sid bar = sid_bar;
  pull_back_modal_damping(damping_ratios(), reduced.lambda, bar);
  return gram_from_sid_bar(bar, spec_.damping_alpha, spec_.damping_beta);
}

/// Fields by position, direction d of field k in column first + d n + k, as 3 n_nodes x n by node number.
MatrixXd FlexibleBody::by_node(const NodalFields& fields, Eigen::Index first, Eigen::Index n) const {
  MatrixXd shapes = MatrixXd::Zero(3 * mesh_->n_nodes(), n);
  for (Eigen::Index node = 0; node < mesh_->n_nodes(); ++node) {
    const int position = assembly_.order().position_of(static_cast<int>(node));
    for (int d = 0; d < mesh_->dim(); ++d)
      shapes.row(3 * node + d) = fields.row(position).segment(first + d * n, n);
  }
  return shapes;
}

Status FlexibleBody::second_order_shapes(const BodyDesign& design, const ReducedBody& reduced,
                                         MatrixXd& out) {
  out.resize(0, 0);
  if (!spec_.geometric_stiffening) return {};
  ReductionTimes times;
  if (Status s = prepare(design, times); s.failed()) return s;
  const ElementFactors factors = element_factors(spec_, design);
  const NodalFields fields = second_order_fields(stress_model(factors.stiffness), *K_, reduced.W);
  out = by_node(fields, 0, n_q() * n_q());
  return solved();
}

Status FlexibleBody::derivatives(const VectorXd& rho, const ReducedBody& reduced, SidDerivatives& out,
                                 PullbackReport* report) {
  Stopwatch watch;
  ReductionTimes times;
  const auto* basis = dynamic_cast<const NormalBasis*>(reduced.basis.get());
  if (!basis || spec_.geometric_stiffening) {
    return located({fmt::format("derivatives of the coefficients are not known {}",
                                basis ? "of geometric stiffening" : "in a Craig-Bampton basis"),
                    "", "use sensitivity.path = \"pull-back\""});
  }
  if (Status s = prepare(nominal(rho), times); s.failed()) return s;
  const ElementFactors by_density{rho.unaryExpr([&](double p) {
                                    return spec_.material.youngs_modulus *
                                           stiffness_factor(spec_.simp, p).derivative;
                                  }),
                                  rho.unaryExpr([&](double p) {
                                    return spec_.material.density * mass_factor(spec_.simp, p).derivative;
                                  })};
  PullbackReport local;
  MatrixXd by_element;
  if (Status s =
          differentiate_reduction(held(), *basis, reduced, by_density, by_element, local.cg_iterations);
      s.failed()) {
    return located(s.failure());
  }
  const ReducedNumbers numbers(mesh_->dim(), n_q(), static_cast<Eigen::Index>(markers_.size()));
  out = SidDerivatives(reduced.sid, numbers, spec_.damping_alpha, spec_.damping_beta, damping_ratios(),
                       std::move(by_element));
  local.seconds = watch.lap();
  if (report) *report = local;
  return solved();
}

}  // namespace kurbel::fem
