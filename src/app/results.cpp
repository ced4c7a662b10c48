#include "app/results.hpp"

#include <algorithm>

#include "app/control_histories.hpp"
#include "output/motion_writer.hpp"
#include "sid/sid_hdf5.hpp"

namespace kurbel {

namespace {

/// The mesh with the edge lengths of the design.
UnstructuredGrid grid_of(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  const fem::Mesh& mesh = body.mesh();
  UnstructuredGrid grid;
  grid.points = body.positions(design.size);
  grid.cells = {
      {mesh.dim() == 2 ? CellBlock::Kind::quadrilateral : CellBlock::Kind::hexahedron, mesh.connectivity()}};
  return grid;
}

}  // namespace

UnstructuredGrid design_grid(const EvaluationChain& chain, const DesignSpace& space, const Design& design) {
  UnstructuredGrid all;
  all.points.resize(3, 0);
  for (const std::size_t i : space.bodies()) {
    UnstructuredGrid grid = grid_of(*chain.body(i), design.bodies[i]);
    const int first = static_cast<int>(all.points.cols());
    all.points.conservativeResize(3, first + grid.points.cols());
    all.points.rightCols(grid.points.cols()) = grid.points;
    grid.cells.front().corners.array() += first;
    all.cells.push_back(grid.cells.front());
  }
  return all;
}

FieldArray cell_array(const std::string& name, const DesignSpace& space, const BodyFields& fields) {
  FieldArray array{name, MatrixXd(1, 0)};
  for (const std::size_t i : space.bodies()) {
    const Eigen::Index first = array.values.cols();
    array.values.conservativeResize(1, first + fields[i].size());
    array.values.rightCols(fields[i].size()) = fields[i].transpose();
  }
  return array;
}

std::vector<FieldArray> design_arrays(const DesignSpace& space, const Design& design) {
  std::vector<FieldArray> arrays = {cell_array("density", space, design.densities())};
  if (space.variables().bodies_with_fields().empty()) return arrays;
  const auto add = [&](const char* name, const auto& member) {
    BodyFields fields;
    for (const fem::BodyDesign& body : design.bodies) {
      fields.push_back(body.*member);
      if (fields.back().size() != body.density.size()) fields.back() = VectorXd::Zero(body.density.size());
    }
    arrays.push_back(cell_array(name, space, fields));
  };
  add("thickness", &fem::BodyDesign::thickness);
  add("youngs_modulus", &fem::BodyDesign::youngs_modulus);
  add("solid_density", &fem::BodyDesign::solid_density);
  return arrays;
}

void write_pictures(RunDirectory& folder, const std::filesystem::path& path, const EvaluationChain& chain,
                    const DesignSpace& space, const Design& design, const BodyFields& fields,
                    const PictureWriter& write) {
  for (const std::size_t i : space.bodies()) {
    const fem::MeshSpec& mesh = chain.body(i)->spec().mesh;
    StructuredField field{mesh.divisions, design.bodies[i].size, &fields[i]};
    if (mesh.dim == 2) field.divisions[2] = 1;
    std::filesystem::path file = path;
    if (space.bodies().size() > 1) {
      file.replace_filename(path.stem().string() + "_" + chain.problem().bodies[i].name +
                            path.extension().string());
      folder.claim(file);
    }
    write(file, field, {});
  }
}

RunTrajectory run_trajectory(const ChainResult& result) {
  RunTrajectory out;
  const Eigen::Index n = result.trajectory.n_stored;
  const MultibodySystem<double>& system = *result.system;
  const DaeStateLayout& layout = result.integrator->layout();
  const auto y = result.trajectory.y.leftCols(n);
  out.times = result.trajectory.t.head(n);
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const Eigen::Index n_q = system.n_q(i);
    out.bodies.push_back({system.spec().bodies[i].name, y.middleRows(system.x_offset(i), 7 + n_q),
                          y.middleRows(layout.n_x + system.v_offset(i), 6 + n_q),
                          y.middleRows(layout.n_x + layout.n_v + system.v_offset(i), 6 + n_q)});
  }
  out.multipliers = y.bottomRows(layout.n_c);
  for (Eigen::Index i = 0; i < layout.n_c; ++i) out.multiplier_names.push_back(system.constraint_name(i));
  return out;
}

namespace {

MotionBody motion_body(const EvaluationChain& chain, const ChainResult& result, std::size_t i) {
  const std::string& name = chain.problem().bodies[i].name;
  if (const fem::FlexibleBody* body = chain.body(i)) {
    const fem::BodyDesign& design = result.design.bodies[i];
    MotionBody drawn{name, grid_of(*body, design), design.density, result.reduced[i].shapes};
    if (const auto points = chain.stress_sets().to_show(i, body->n_elements())) {
      drawn.stress = body->stress_modes(design, result.reduced[i], *points);
      drawn.largest_stress = VectorXd::Zero(body->n_elements());
      for (Eigen::Index k = 0; k < result.trajectory.n_stored; ++k) {
        const auto q = result.trajectory.y.col(k).segment(result.system->x_offset(i) + 7, body->n_q());
        drawn.largest_stress = drawn.largest_stress.cwiseMax(von_mises(drawn.stress, q));
      }
    }
    return drawn;
  }
  // A body without a mesh is drawn from its frame through its markers.
  const std::vector<SidNode>& nodes = result.system->spec().bodies[i].sid.frame;
  MatrixXd points = MatrixXd::Zero(3, static_cast<Eigen::Index>(nodes.size()) + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    points.col(static_cast<Eigen::Index>(k) + 1) = nodes[k].origin.M0;
  return line_body(name, points);
}

}  // namespace

void write_motion(const std::filesystem::path& pvd, const EvaluationChain& chain, const ChainResult& result) {
  const OutputOptions& options = chain.problem().output;
  const MultibodySystem<double>& system = *result.system;
  std::vector<MotionBody> bodies;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) bodies.push_back(motion_body(chain, result, i));
  MotionWriter writer(pvd, std::move(bodies), {options.deformation_scale});

  const Eigen::Index n = result.trajectory.n_stored;
  const Eigen::Index frames = std::min<Eigen::Index>(n, std::max(options.motion_frames, 1));
  std::vector<MotionPose> poses(system.n_bodies());
  for (Eigen::Index frame = 0; frame < frames; ++frame) {
    const Eigen::Index k = frames > 1 ? frame * (n - 1) / (frames - 1) : 0;
    const auto x = result.trajectory.y.col(k).head(system.n_x());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Pose<double> pose = system.pose(x, i);
      const Eigen::Index n_q = chain.body(i) ? system.n_q(i) : 0;
      poses[i] = {pose.r, rotation_matrix(pose.e), x.segment(system.x_offset(i) + 7, n_q)};
    }
    writer.add_frame(result.trajectory.t[k], poses);
  }
}

void write_controls(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result) {
  const SystemSpec& system = result.system->spec();
  std::vector<ControlHistory> controls;
  for (std::size_t i = 0; i < system.controls.size(); ++i) {
    const int own = static_cast<int>(i);
    const auto turns = [&](const MotorSpec& motor) { return motor.control == own && motor.is_rotary; };
    const auto twists = [&](const MarkerLoadSpec& load) {
      return std::any_of(load.controls.begin(), load.controls.end(), [&](const ControlledLoad& share) {
        return share.control == own && !share.torque.isZero(0.0);
      });
    };
    const bool is_torque = std::any_of(system.motors.begin(), system.motors.end(), turns) ||
                           std::any_of(system.loads.begin(), system.loads.end(), twists);
    const auto& variables = chain.problem().design.variables;
    const auto node = std::find_if(variables.begin(), variables.end(), [&](const DesignVariable& variable) {
      const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
      return quantity && quantity->kind == SystemQuantity::Kind::control_node && quantity->owner == i;
    });
    controls.push_back({system.controls[i].name, is_torque, system.controls[i].grid, system.controls[i].nodes,
                        node->lower, node->upper});
  }
  if (controls.empty()) return;
  write_control_histories(folder, controls, result.trajectory.t.head(result.trajectory.n_stored),
                          chain.problem().output.picture);
}

void write_sids(const std::filesystem::path& path, const EvaluationChain& chain, const ChainResult& result,
                const FileHeader& header) {
  std::vector<NamedSid> sids;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) sids.push_back({chain.problem().bodies[i].name, result.reduced[i].sid});
  }
  write_sid_file(path, sids, header);
}

FileHeader file_header(const Problem& problem, const std::string& content, const std::string& command) {
  return file_header(*problem.document, problem.title, content, command);
}

FileHeader file_header(const TomlDocument& document, const std::string& title, const std::string& content,
                       const std::string& command) {
  FileHeader header;
  header.content = content;
  header.title = title;
  header.command = command;
  header.input_name = document.file;
  header.input_text = document.text;
  header.overrides = document.overrides;
  header.input_directory = document.directory.string();
  return header;
}

}  // namespace kurbel
