#include "floating_frame/redundant_constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/orthogonal.hpp"
#include "floating_frame/joint_constraints.hpp"
#include "integration/dependent_constraints.hpp"

namespace kurbel {

namespace {

using RowNumbers = std::vector<Eigen::Index>;

constexpr double dependent = 1e-10;  ///< what is left of a row of unit length

/// The rows of a position less their parts along those kept.
class RowsAt {
 public:
  /// @param rows  (n_c x n_v)   of unit length
  explicit RowsAt(const MatrixXd& rows)
      : left_(rows), kept_(rows.cols(), std::min(rows.rows(), rows.cols())) {}
  double left(Eigen::Index i) const { return n_ < kept_.cols() ? left_.row(i).norm() : 0.0; }
  void keep(Eigen::Index i) {
    VectorXd q = left_.row(i).normalized();
    q = (q - kept_.leftCols(n_) * (kept_.leftCols(n_).transpose() * q)).normalized();
    left_ -= (left_ * q).eval() * q.transpose();
    kept_.col(n_++) = q;
  }

 private:
  MatrixXd left_, kept_;
  Eigen::Index n_ = 0;
};

/// Those that remain when rows are kept, group by group, as long as they are independent: in each first the
/// rows of which much is left at every position, then those of which less is.
RowNumbers find_dependent(std::vector<RowsAt> positions, Eigen::Index n_rows,
                          const std::array<RowNumbers, 3>& groups) {
  std::vector<bool> is_kept(static_cast<std::size_t>(n_rows), false);
  const auto keep_clearer = [&](const RowNumbers& group, double clear) {
    for (const Eigen::Index i : group) {
      const auto is_clear = [&](const RowsAt& at) { return at.left(i) > clear; };
      if (is_kept[static_cast<std::size_t>(i)] || !std::ranges::all_of(positions, is_clear)) continue;
      for (RowsAt& at : positions) at.keep(i);
      is_kept[static_cast<std::size_t>(i)] = true;
    }
  };
  for (const RowNumbers& group : groups) {
    for (const double clear : {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, dependent})
      keep_clearer(group, clear);
  }
  RowNumbers others;
  for (Eigen::Index i = 0; i < n_rows; ++i) {
    if (!is_kept[static_cast<std::size_t>(i)]) others.push_back(i);
  }
  return others;
}

RowNumbers find_dependent(const MatrixXd& rows, const std::array<RowNumbers, 3>& groups) {
  return find_dependent({RowsAt(rows)}, rows.rows(), groups);
}

/// All rows but some, in ascending order.
RowNumbers rows_without(Eigen::Index n, const RowNumbers& left_out) {
  RowNumbers rows;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::ranges::binary_search(left_out, i)) rows.push_back(i);
  }
  return rows;
}

/// Removes as many rows as are dependent at the start, so that those kept stay independent on the way around it, too:
/// rows that imply each other at one position do so with other weights at another one, some of which may vanish.
/// Drives do not go that way, and stay out of it.
/// @param rows  at the start, of unit length
RowNumbers choose_around(SystemSpec spec, double t0, const JointConstraints& joints, const VectorXd& start,
                         const MatrixXd& rows, const RowNumbers& at_start,
                         const std::vector<std::string>& first) {
  RowNumbers chosen;
  for (const Eigen::Index i : at_start) {
    if (joints.row(i).is_driven) chosen.push_back(i);
  }
  for (JointSpec& joint : spec.joints) joint.drives.clear();
  const auto is_free = [](const JointSpec& joint) {
    return std::ranges::count(joint.locked, true) == 0 && !joint.length;
  };
  std::erase_if(spec.joints, is_free);
  const JointConstraints locked(spec, t0);
  std::vector<RowsAt> positions;
  for (const VectorXd& x : locked.around(start)) positions.emplace_back(locked.at(x).unit_rows());
  RowNumbers of_all;  // the same rows among all, in the same order
  for (Eigen::Index i = 0; i < joints.size(); ++i) {
    if (!joints.row(i).is_driven) of_all.push_back(i);
  }
  for (const Eigen::Index i :
       find_dependent(std::move(positions), locked.size(), locked.by_preference(first)))
    chosen.push_back(of_all[static_cast<std::size_t>(i)]);
  std::ranges::sort(chosen);
  const VectorXd met = VectorXd::Zero(rows.rows() - std::ssize(chosen)), size = VectorXd::Ones(met.size());
  const bool is_enough = chosen.size() == at_start.size() &&
                         !find_dependent_rows(rows(rows_without(rows.rows(), chosen), Eigen::all), met, size);
  return is_enough ? chosen : at_start;
}

/// Rows that cannot be met to first order together with the others, among those that depend on these.
RowNumbers contradictory_among(const RowNumbers& candidates, const ConstraintsAt& at) {
  constexpr double rounding = 1e-6;
  const RowNumbers kept = rows_without(at.c.size(), candidates);
  const MatrixXd C_kept = at.C(kept, Eigen::all);
  const VectorXd c_kept = at.c(kept), w = least_squares(C_kept, c_kept);
  const VectorXd defect = at.c - at.C * w;
  RowNumbers found;
  for (const Eigen::Index i : candidates) {
    if (std::abs(defect[i]) > rounding) found.push_back(i);
  }
  return found;
}

/// The refusal of a position where more rows depend on each other than next to it.
/// @param rows        at that position, of unit length
/// @param everywhere  those that depend on others next to it, too
DependentConstraints singular_position(const JointConstraints& joints, const MatrixXd& rows,
                                       const RowNumbers& everywhere) {
  const RowNumbers looked_at = rows_without(rows.rows(), everywhere);
  const VectorXd none = VectorXd::Zero(std::ssize(looked_at));
  DependentRows found = find_dependent_rows(rows(looked_at, Eigen::all), none, VectorXd::Ones(none.size()))
                            .value_or(DependentRows{});
  const auto names_of = [&](RowNumbers& own) {
    std::vector<std::string> names;
    for (Eigen::Index& i : own) {
      i = looked_at[static_cast<std::size_t>(i)];
      names.push_back(joints.system().constraint_name(i));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  };
  const std::string lost = names_of(found.rows), others = names_of(found.others);
  return {fmt::format("singular position (dead centre): at the start {} {} determined by {}, but not next to "
                      "it; start at another position",
                      lost, found.rows.size() > 1 ? "are" : "is", others),
          found};
}

/// Axes of a marker in the inertial frame, as if its body were rigid.
Matrix3d axes_of(const MultibodySystem<double>& system, const VectorXd& x, const MarkerRef& marker,
                 const std::string& owner) {
  const MarkerPlace place = system.resolve(marker, owner);
  if (place.body < 0) return place.A0;
  return rotation_matrix(system.pose(x, static_cast<std::size_t>(place.body)).e) * place.A0;
}

/// Refuses a position at which a joint locks rotations half a turn from where they are zero: its constraints hold
/// there as well.
void check_half_turns(const JointConstraints& joints, const VectorXd& x) {
  const MultibodySystem<double>& system = joints.system();
  for (Eigen::Index i = 0; i < joints.size(); ++i) {
    const std::size_t own = joints.row(i).joint;
    if (i > 0 && joints.row(i - 1).joint == own) continue;
    const JointSpec& joint = system.spec().joints[own];
    const auto rotations = std::span(joint.locked).last<3>();
    const auto n_locked = std::ranges::count(rotations, true);
    if (n_locked < 2) continue;
    const Matrix3d R =
        axes_of(system, x, joint.from, joint.name).transpose() * axes_of(system, x, joint.to, joint.name);
    const auto free = std::ranges::find(rotations, false) - rotations.begin();
    if ((n_locked == 3 ? R.trace() : R(free, free)) >= 0.0) continue;
    throw DependentConstraints(
        "its frames point in opposite directions at the start. Turn one of its bodies in [bodies.*.initial]",
        DependentRows{.rows = {i}, .others = {}});
  }
}

}  // namespace

void set_redundant_aside(SystemSpec& spec, double t0, const std::vector<std::string>& first) {
  spec = with_all_constraints(std::move(spec));
  const JointConstraints joints(spec, t0);
  if (joints.size() == 0) return;
  const auto remove = [&](const RowNumbers& rows) {
    for (const Eigen::Index i : rows) {
      const JointConstraints::Row& row = joints.row(i);
      spec.joints[row.joint].redundant[static_cast<std::size_t>(row.dof)] = true;
    }
  };
  const std::array<RowNumbers, 3> order = joints.by_preference(first);
  const auto start = joints.assemble(joints.given(), joints.all());
  if (!start) {
    const ConstraintsAt given = joints.at(joints.given());
    const RowNumbers candidates = find_dependent(given.unit_rows(), order);
    const RowNumbers contradictory = contradictory_among(candidates, given);
    if (contradictory.empty()) return;
    RowNumbers consistent;
    std::ranges::set_difference(candidates, contradictory, std::back_inserter(consistent));
    return remove(consistent);
  }
  check_half_turns(joints, *start);
  const MatrixXd rows = joints.at(*start).unit_rows();
  if (are_independent(rows)) return;
  const RowNumbers at_start = find_dependent(rows, order);
  if (at_start.empty()) return;
  const auto near = joints.next_to(*start);
  const RowNumbers next_to_it = near ? find_dependent(joints.at(*near).unit_rows(), order) : RowNumbers{};
  if (next_to_it.size() < at_start.size()) throw singular_position(joints, rows, next_to_it);
  remove(choose_around(spec, t0, joints, *start, rows, at_start, first));
}

SystemSpec with_all_constraints(SystemSpec spec) {
  for (JointSpec& joint : spec.joints) joint.redundant = {};
  return spec;
}

std::vector<std::string> redundant_names(const SystemSpec& spec) {
  std::vector<std::string> names;
  for (const JointSpec& joint : spec.joints) {
    for (std::size_t dof = 0; dof < joint.redundant.size(); ++dof) {
      if (joint.redundant[dof])
        names.push_back(fmt::format("joint {} ({})", joint.name, relative_dof_names[dof]));
    }
  }
  return names;
}

Status check_redundant(const SystemSpec& spec, const DaeStateLayout& layout,
                       const Trajectory<double>& trajectory) {
  constexpr double tolerance = 1e-8, of_those_kept = 1e3;
  constexpr Eigen::Index most_instants = 33;
  if (redundant_names(spec).empty() || trajectory.n_stored == 0) return {};
  const Eigen::Index last = trajectory.n_stored - 1, n = std::min(most_instants, trajectory.n_stored);
  const JointConstraints joints(with_all_constraints(spec), trajectory.t[0]);
  for (Eigen::Index sample = 0; sample < n; ++sample) {
    const Eigen::Index k = n > 1 ? sample * last / (n - 1) : 0;
    const double t = trajectory.t[k];
    const ConstraintsAt at = joints.at(t, trajectory.y.col(k).head(layout.n_x));
    double kept = 0.0, violation = 0.0;
    Eigen::Index worst = 0;
    for (Eigen::Index i = 0; i < at.c.size(); ++i) {
      const JointConstraints::Row& row = joints.row(i);
      const double own = std::abs(at.c[i]);
      if (!spec.joints[row.joint].redundant[static_cast<std::size_t>(row.dof)]) {
        kept = std::max(kept, own);
      } else if (own > violation) {
        violation = own, worst = i;
      }
    }
    if (violation <= std::max(tolerance, of_those_kept * kept)) continue;
    const bool is_angle = is_rotation(joints.row(worst).dof);
    return Failure{
        .what = fmt::format("the constraint that was removed as redundant is violated by {:.2g} {}: this "
                            "mechanism needs it there",
                            violation * (is_angle ? 1.0 : joints.length()), is_angle ? "rad" : "m"),
        .where = joints.system().constraint_name(worst),
        .advice =
            "lock or drive fewer degrees of freedom in the joints of its loop, or bring their axes into line",
        .time = t};
  }
  return {};
}

}  // namespace kurbel
