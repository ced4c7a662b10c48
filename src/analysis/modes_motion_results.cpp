/// Results of the modes of a mechanism: summary, tables, warnings and moving pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analysis/kinetic_shares.hpp"
#include "analysis/modes_model.hpp"

namespace kurbel {

using Eigen::Index;
using Complex = std::complex<double>;

namespace {

constexpr double turn = 2.0 * EIGEN_PI;

}  // namespace

std::string ModesMotion::moving_parts(const VectorXcd& shape) const {
  return text_of_shares(kinetic_shares(*mechanism_, shape));
}

MotionSummary ModesMotion::summarize(const Trajectory<double>&) const {
  MotionSummary summary;
  summary.lines.push_back(fmt::format("{} degrees of freedom, {} rigid-body modes{}", mechanism_->Z().cols(),
                                      modes_.rigid.cols(), modes_.is_conservative ? "" : "; with damping"));
  summary.numbers.emplace_back("degrees_of_freedom", static_cast<double>(mechanism_->Z().cols()));
  summary.numbers.emplace_back("rigid_body_modes", static_cast<double>(modes_.rigid.cols()));
  for (Index k = 0; k < modes_.rigid.cols(); ++k) {
    const VectorXcd shape = (mechanism_->Z() * modes_.rigid.col(k)).cast<Complex>();
    summary.lines.push_back(
        fmt::format("rigid-body mode {}: 0 Hz; kinetic energy: {}", k + 1, moving_parts(shape)));
  }
  int number = 0;
  for (const PencilMode& mode : modes_.modes) {
    const std::string parts = moving_parts(mechanism_->Z() * mode.right);
    if (mode.s.imag() == 0.0) {
      summary.lines.push_back(fmt::format("a motion that {} as exp({:.6g} t), t in s; kinetic energy: {}",
                                          grows(mode.s) ? "grows (unstable)" : "decays", mode.s.real(),
                                          parts));
      continue;
    }
    ++number;
    summary.lines.push_back(fmt::format("mode {}: {:.8g} Hz, damping ratio {:.6g}; kinetic energy: {}",
                                        number, frequency_of(mode.s), damping_ratio_of(mode.s) + 0.0, parts));
    summary.numbers.emplace_back(fmt::format("frequency_{}", number), frequency_of(mode.s));
    summary.numbers.emplace_back(fmt::format("damping_ratio_{}", number), damping_ratio_of(mode.s) + 0.0);
  }
  if (response_) {
    MotionSummary peaks = response_->peaks(own_.problem().outputs);
    std::ranges::move(peaks.lines, std::back_inserter(summary.lines));
    std::ranges::move(peaks.numbers, std::back_inserter(summary.numbers));
  }
  return summary;
}

/// A row for each rigid-body mode, then for each other one; behind the eigenvalues the shares of parts in the kinetic energy.
std::vector<ResultTable> ModesMotion::tables() const {
  constexpr Index n_of_eigenvalue = 5;
  ResultTable table{"modes",
                    {{"mode"}, {"frequency", "Hz"}, {"damping ratio"}, {"Re s", "1/s"}, {"Im s", "1/s"}},
                    MatrixXd::Zero(modes_.rigid.cols() + std::ssize(modes_.modes), n_of_eigenvalue)};
  Index row = 0;
  const auto add_shares = [&](const VectorXcd& shape) {
    const std::vector<KineticShare> shares = kinetic_shares(*mechanism_, shape);
    if (row == 0) {
      for (const KineticShare& share : shares)
        table.columns.push_back({"share of kinetic energy of " + share.part});
      table.values.conservativeResize(Eigen::NoChange, std::ssize(table.columns));
    }
    for (Index j = 0; j < std::ssize(shares); ++j)
      table.values(row, n_of_eigenvalue + j) = shares[static_cast<std::size_t>(j)].share;
    ++row;
  };
  for (Index k = 0; k < modes_.rigid.cols(); ++k)
    add_shares((mechanism_->Z() * modes_.rigid.col(k)).cast<Complex>());
  int number = 0;
  for (const PencilMode& mode : modes_.modes) {
    const bool oscillates = mode.s.imag() > 0.0;
    table.values.row(row).head<n_of_eigenvalue>() << (oscillates ? ++number : 0),
        (oscillates ? frequency_of(mode.s) : 0.0), damping_ratio_of(mode.s) + 0.0, mode.s.real() + 0.0,
        mode.s.imag();
    add_shares(mechanism_->Z() * mode.right);
  }
  if (!response_) return {table};
  return {table, response_->table(own_.problem().outputs)};
}

std::vector<std::string> ModesMotion::warnings(const Trajectory<double>&) const {
  if (response_) {
    const std::string narrow = narrow_resonances(frequencies_of(own_.problem().frequency_response), modes_.s);
    return narrow.empty() ? std::vector<std::string>() : std::vector{narrow};
  }
  const auto n = std::ranges::count_if(modes_.modes, [](const PencilMode& m) { return grows(m.s); });
  if (n == 0) return {};
  return {fmt::format("the state of rest is unstable: {} of its motions grow", n)};
}

/// The factor of a shape by which the largest displacement of what is drawn is a tenth of the mechanism; no coordinate moves
/// by more than 1.
double ModesMotion::amplitude(const VectorXcd& shape, const VectorXd& start,
                              const std::vector<std::optional<MotionBody>>& meshes) const {
  constexpr double of_mechanism = 0.1, small = 1e-4;
  const double largest = shape.cwiseAbs().maxCoeff(), trial = small / largest;
  Trajectory<double> both{MatrixXd(start.size(), 3), VectorXd::LinSpaced(3, 0.0, 1.0), 3};
  both.y << start, mechanism_->displaced(trial * shape.real()), mechanism_->displaced(trial * shape.imag());
  double moved = 0.0, extent = 0.0;
  motion_->draw(both, meshes, [&](const std::string&, MotionFrames& frames) {
    if (frames.n_frames() < 3) return;
    const std::vector<NamedBlock> rest = frames.blocks(0);
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const NamedBlock& block : rest) {
      if (block.grid.points.cols() == 0) continue;
      low = low.cwiseMin(block.grid.points.rowwise().minCoeff());
      high = high.cwiseMax(block.grid.points.rowwise().maxCoeff());
    }
    if ((high - low).allFinite()) extent = std::max(extent, (high - low).norm());
    for (const std::size_t frame : {std::size_t(1), std::size_t(2)}) {
      const std::vector<NamedBlock>& blocks = frames.blocks(frame);
      for (std::size_t b = 0; b < std::min(rest.size(), blocks.size()); ++b) {
        const MatrixXd& points = blocks[b].grid.points;
        if (!blocks[b].moves || points.cols() == 0 || points.cols() != rest[b].grid.points.cols()) continue;
        moved = std::max(moved, (points - rest[b].grid.points).colwise().norm().maxCoeff());
      }
    }
  });
  return std::min(1.0 / largest, moved > 0.0 ? trial * of_mechanism * extent / moved : 1.0 / largest);
}

void ModesMotion::show_mode(const std::string& name, const VectorXcd& shape, double period,
                            const VectorXd& start, const std::vector<std::optional<MotionBody>>& meshes,
                            const FramesReceiver& show) const {
  constexpr Index least_frames = 4, most_frames = 40;  // with fewer there is no swing to be seen
  const Index n =
      std::max(least_frames, std::min<Index>(most_frames, own_.problem().output.motion_frames - 1));
  const double factor = amplitude(shape, start, meshes);
  Trajectory<double> swing{MatrixXd(start.size(), n + 1), VectorXd::LinSpaced(n + 1, 0.0, period), n + 1};
  for (Index k = 0; k <= n; ++k) {
    const Complex phase = std::polar(factor, turn * static_cast<double>(k) / static_cast<double>(n));
    swing.y.col(k) = mechanism_->displaced((Complex(0.0, -1.0) * phase * shape).real());
  }
  motion_->draw(swing, meshes, [&](const std::string&, MotionFrames& frames) { show(name, frames); });
}

void ModesMotion::draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
                       const FramesReceiver& show) const {
  const VectorXd start = trajectory.y.col(0);
  for (Index k = 0; k < modes_.rigid.cols(); ++k)
    show_mode(fmt::format("rigid_body_{}", k + 1), (mechanism_->Z() * modes_.rigid.col(k)).cast<Complex>(),
              1.0, start, meshes, show);
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const PencilMode& mode = modes_.modes[counted_[i]];
    show_mode(fmt::format("mode_{}", i + 1), mechanism_->Z() * mode.right, turn / mode.s.imag(), start,
              meshes, show);
  }
}

}  // namespace kurbel
