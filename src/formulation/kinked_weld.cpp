#include "formulation/kinked_weld.hpp"

#include <algorithm>

#include "elements/beam_shape.hpp"

namespace kurbel {

namespace {

/// The tangent of a cable, or the axes of a section, at an end of a beam, at the start.
class EndOfBeam {
 public:
  EndOfBeam(const BeamSpec& beam, bool at_end, Eigen::Index places)
      : beam_(beam), node_(at_end ? beam.n_elements : 0), places_(places) {
    at_ << beam.start, beam.end, beam.through.value_or(Vector3d::Zero());
  }

  BeamSpec::Kind kind() const { return beam_.kind; }
  MatrixXd axes() const { return without_place(shape().node(node_)); }
  MatrixXd variation(const VectorXd& p_dot) const {
    const Matrix3d places_dot = p_dot.segment<BeamLayout::n_places>(places_).reshaped(3, 3);
    return without_place(shape().node_variation(node_, places_dot));
  }

 private:
  BeamShape<double> shape() const { return {beam_, at_.data()}; }
  static MatrixXd without_place(const MatrixXd& node) { return node.rightCols(node.cols() - 1); }

  const BeamSpec& beam_;
  int node_;
  Eigen::Index places_;
  Matrix3d at_;
};

std::optional<EndOfBeam> end_at(const MarkerRef& ref, const SystemSpec& spec, const ParameterLayout& layout) {
  const auto beam = std::ranges::find(spec.beams, ref.body, &BeamSpec::name);
  if (beam == spec.beams.end() || (ref.marker != "start" && ref.marker != "end")) return {};
  const auto i = static_cast<std::size_t>(beam - spec.beams.begin());
  return EndOfBeam(*beam, ref.marker == "end", layout.beam(i).places());
}

}  // namespace

std::optional<KinkedWeld> find_kinked_weld(const SystemSpec& spec, const ParameterLayout& layout,
                                           const SparseMatrix& p_dot) {
  constexpr double straight = 1e-6;  // of 1 - cosine, as the weld has it
  constexpr double rounding = 1e-9;  // of the variations of both ends
  for (const JointSpec& joint : spec.joints) {
    if (!joint.locked[3] || !joint.locked[4] || !joint.locked[5]) continue;
    const auto to = end_at(joint.to, spec, layout), from = end_at(joint.from, spec, layout);
    if (!to || !from || to->kind() != from->kind()) continue;
    const double cosine = to->axes().col(0).dot(from->axes().col(0));
    if (to->kind() == BeamSpec::Kind::cable && std::abs(cosine) < 1.0 - straight) continue;
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
      const VectorXd along = p_dot.col(j);
      const MatrixXd a = to->variation(along), b = std::copysign(1.0, cosine) * from->variation(along);
      if ((a - b).norm() > rounding * (a.norm() + b.norm())) return KinkedWeld{joint.name, to->kind(), j};
    }
  }
  return {};
}

}  // namespace kurbel
