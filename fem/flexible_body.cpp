#include "fem/flexible_body.hpp"

#include <fmt/format.h>

#include <chrono>

#include "fem/basis_derivatives.hpp"
#include "fem/cholesky.hpp"
#include "fem/pullback.hpp"
#include "fem/reference_element.hpp"
#include "fem/shape_pullback.hpp"
#include "fem/simp.hpp"
#include "fem/spec_check.hpp"

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

Mesh checked_mesh(const FlexibleBodySpec& spec) {
  Mesh mesh(spec.mesh);
  if (const auto problem = find_problem(spec, mesh)) {
    throw InputError(fmt::format("bodies.{}.{}: {}", spec.name, problem->key, problem->message));
  }
  return mesh;
}

std::vector<std::string> coordinate_names(Eigen::Index n_normal, Eigen::Index n_attachment) {
  std::vector<std::string> names;
  for (Eigen::Index i = 1; i <= n_normal; ++i) names.push_back(fmt::format("normal {}", i));
  for (Eigen::Index i = 1; i <= n_attachment; ++i) names.push_back(fmt::format("attachment {}", i));
  return names;
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

FlexibleBody::FlexibleBody(FlexibleBodySpec spec)
    : spec_(std::move(spec)),
      mesh_(checked_mesh(spec_)),
      assembly_(mesh_, mesh_.nodes_in(spec_.clamp), reference_element(mesh_.reference_corners(), spec_)),
      loads_(unit_loads(spec_)),
      K_(assembly_.stiffness_pattern()),
      m_(assembly_.make_mass()),
      factor_(std::make_unique<Cholesky>(K_, mesh_.dim())) {
  for (const UnitLoad& load : loads_) load_names_.push_back(load.name);
  place_nodes(spec_.mesh.size);
}

FlexibleBody::~FlexibleBody() = default;

Mesh::Points FlexibleBody::positions(const Vector3d& size) const {
  MeshSpec mesh = spec_.mesh;
  mesh.size = size;
  return node_positions(mesh);
}

void FlexibleBody::place_nodes(const Vector3d& size) {
  placed_size_ = size;
  positions_ = positions(size);
  assembly_.set_reference(reference_element(reference_corners(mesh_, spec_, size), spec_));
  markers_.clear();
  for (const MarkerSpec& marker : spec_.markers) {
    markers_.emplace_back(marker.name, mesh_.nodes_in(marker.nodes), positions_, mesh_.dim(),
                          assembly_.order());
  }
  B_T_ = load_matrix(loads_, markers_, assembly_.order(), mesh_.dim());
}

Failure FlexibleBody::located(Failure failure) const {
  failure.where = fmt::format("body {}", spec_.name);
  return failure;
}

Status FlexibleBody::prepare(const BodyDesign& design, ReductionTimes& times) {
  if (prepared_ && is_same(*prepared_, design)) return {};
  require_valid(spec_, n_elements(), design, fmt::format("body {}", spec_.name));
  prepared_.reset();
  Stopwatch watch;
  if (design.size != placed_size_) place_nodes(design.size);
  const ElementFactors factors = element_factors(spec_, design);
  assembly_.assemble_stiffness(factors.stiffness, K_);
  assembly_.assemble_mass(factors.mass, m_);
  times.assembly = watch.lap();
  const Cholesky::Outcome outcome = factor_->factorize(K_);
  times.factor = watch.lap();
  if (outcome == Cholesky::Outcome::out_of_memory) {
    return located({"the factor of the stiffness does not fit into memory", "", "use a coarser mesh"});
  }
  if (outcome == Cholesky::Outcome::singular) {
    return located({"the stiffness is singular: a part of the body is not connected to the clamp", "",
                    "raise the lowest density (simp.p_min)"});
  }
  prepared_ = design;
  return {};
}

Status FlexibleBody::reduce(const BodyDesign& design, ReducedBody& out) {
  out.times = {};
  if (Status failure = prepare(design, out.times)) return failure;
  Stopwatch watch;
  if (Status failure =
          find_normal_modes(*factor_, m_, assembly_.n_free_dofs(), spec_.n_normal_modes, out.normal)) {
    return located(*failure);
  }
  if (Status failure = find_attachment_modes(*factor_, m_, out.normal, B_T_, load_names_, out.attachment)) {
    return located(*failure);
  }
  out.times.modes = watch.lap();
  collect(out);
  out.times.gram = watch.lap();
  return {};
}

void FlexibleBody::collect(ReducedBody& out) const {
  const Eigen::Index n = out.normal.lambda.size(), n_a = out.attachment.lambda.size();
  const int dim = mesh_.dim();
  out.lambda.resize(n + n_a);
  out.lambda << out.normal.lambda, out.attachment.lambda;
  out.frequencies_hz = out.normal.lambda.unaryExpr(&frequency_hz);
  out.next_frequency_hz = frequency_hz(out.normal.lambda_next);
  fill_fields(positions_, assembly_.order(), dim, out.normal.Phi, out.attachment.Psi, out.W);
  m_.multiply(out.W, out.m_W);
  const MatrixXd compact = out.W.transpose() * out.m_W;
  out.G = full_gram(0.5 * (compact + compact.transpose()), dim, n_q());
  out.markers.resize(markers_.size());
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    MarkerShapes& shapes = out.markers[i];
    shapes.name = markers_[i].name();
    shapes.R = markers_[i].position();
    markers_[i].apply(out.W, 1 + dim, dim, shapes.Phi, shapes.Psi);
  }
  out.sid = sid_from_gram(out.G, out.lambda.asDiagonal(), spec_.damping_alpha, spec_.damping_beta,
                          out.markers, coordinate_names(n, n_a));
  expand_shapes(out);
}

void FlexibleBody::expand_shapes(ReducedBody& out) const {
  const int dim = mesh_.dim();
  out.shapes.setZero(3 * mesh_.n_nodes(), n_q());
  for (Eigen::Index node = 0; node < mesh_.n_nodes(); ++node) {
    const int position = assembly_.order().position_of(static_cast<int>(node));
    for (int d = 0; d < dim; ++d) {
      out.shapes.row(3 * node + d) = out.W.row(position).segment(1 + dim + d * n_q(), n_q());
    }
  }
}

Status FlexibleBody::pull_back(const BodyDesign& design, const ReducedBody& reduced, const Sid& sid_bar,
                               bool with_shape, BodyDesign& bar, PullbackReport* report) {
  Stopwatch watch;
  ReductionTimes times;
  if (Status failure = prepare(design, times)) return failure;
  const GramBar gram_bar = gram_from_sid_bar(sid_bar, spec_.damping_alpha, spec_.damping_beta);
  PullbackReport local;
  local.invariance_defect =
      fem::invariance_defect(reduced.G, reduced.lambda.asDiagonal(), reduced.markers, gram_bar);
  BasisBar basis_bar = pull_back_basis(assembly_, markers_, reduced, gram_bar);
  ModeAdjoint adjoint;
  if (Status failure = solve_mode_adjoint(*factor_, m_, reduced, basis_bar, adjoint))
    return located(*failure);
  local.cg_iterations = adjoint.cg_iterations;
  const ElementFields fields = element_fields(assembly_, reduced, gram_bar, adjoint);
  pull_back_element_factors(spec_, design, sum_over_elements(assembly_, fields), bar);
  if (with_shape) {
    const Mesh::Points corners = reference_corners(mesh_, spec_, design.size);
    local.x_bar =
        pull_back_positions({assembly_, markers_, loads_}, reduced, gram_bar, adjoint, fields,
                            element_factors(spec_, design), differentiate_reference_element(corners, spec_));
    bar.size = pull_back_size(spec_.mesh, mesh_.positions(), local.x_bar);
  }
  local.seconds = watch.lap();
  if (report) *report = std::move(local);
  return {};
}

Status FlexibleBody::pullback(const BodyDesign& design, const ReducedBody& reduced, const Sid& sid_bar,
                              BodyDesign& bar, PullbackReport* report) {
  return pull_back(design, reduced, sid_bar, true, bar, report);
}

Status FlexibleBody::pullback(const VectorXd& rho, const ReducedBody& reduced, const Sid& sid_bar,
                              VectorXd& rho_bar, PullbackReport* report) {
  BodyDesign bar;
  if (Status failure = pull_back(nominal(rho), reduced, sid_bar, false, bar, report)) return failure;
  rho_bar = std::move(bar.density);
  return {};
}

double FlexibleBody::invariance_defect(const ReducedBody& reduced, const Sid& sid_bar) const {
  return fem::invariance_defect(reduced.G, reduced.lambda.asDiagonal(), reduced.markers,
                                gram_from_sid_bar(sid_bar, spec_.damping_alpha, spec_.damping_beta));
}

Status FlexibleBody::derivatives(const VectorXd& rho, const ReducedBody& reduced, SidDerivatives& out,
                                 PullbackReport* report) {
  Stopwatch watch;
  ReductionTimes times;
  if (Status failure = prepare(nominal(rho), times)) return failure;
  const VectorXd dE = rho.unaryExpr(
      [&](double p) { return spec_.material.youngs_modulus * stiffness_factor(spec_.simp, p).derivative; });
  const VectorXd drho =
      rho.unaryExpr([&](double p) { return spec_.material.density * mass_factor(spec_.simp, p).derivative; });
  PullbackReport local;
  MatrixXd by_element;
  if (Status failure = differentiate_reduction(*factor_, m_, assembly_, markers_, reduced, dE, drho,
                                               by_element, local.cg_iterations)) {
    return located(*failure);
  }
  const ReducedNumbers numbers(mesh_.dim(), n_q(), static_cast<Eigen::Index>(markers_.size()));
  out = SidDerivatives(reduced.sid, numbers, spec_.damping_alpha, spec_.damping_beta, std::move(by_element));
  local.seconds = watch.lap();
  if (report) *report = local;
  return {};
}

}  // namespace kurbel::fem
