#include "app/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/body_shape.hpp"
#include "evaluation/body_mesh.hpp"
#include "output/block_series.hpp"
#include "output/log.hpp"
#include "output/motion_writer.hpp"
#include "sid/augmented_sid.hpp"

namespace kurbel {

namespace {

UnstructuredGrid placed_mesh(const DesignFields& of, std::size_t i) {
  UnstructuredGrid grid = design_mesh(*of.chain.body(i), of.design.bodies[i]);
  return of.poses.empty() ? std::move(grid) : placed(std::move(grid), of.poses[i].r, of.poses[i].S);
}

UnstructuredGrid placed_grid(const DesignFields& of) {
  UnstructuredGrid all;
  for (const std::size_t i : of.space.bodies()) append(all, placed_mesh(of, i));
  return all;
}

/// For each element the index of its body.
FieldArray body_array(const DesignFields& of) {
  BodyFields indices(of.chain.n_bodies());
  for (const std::size_t i : of.space.bodies())
    indices[i] = VectorXd::Constant(of.chain.body(i)->n_elements(), static_cast<double>(i));
  return cell_array("body", of.space, indices);
}

}  // namespace

void write_design_fields(const std::filesystem::path& path, const DesignFields& of,
                         std::vector<FieldArray> arrays, std::optional<int> iteration) {
  arrays.push_back(body_array(of));
  VtuOptions options{.iteration = iteration};
  for (const ProblemBody& body : of.chain.problem().bodies) options.bodies.push_back(body.name);
  write_vtu(path, placed_grid(of), arrays, {}, options);
}

void write_design_blocks(const std::filesystem::path& vtm, const DesignFields& of,
                         const std::vector<FieldArray>& arrays) {
  std::vector<NamedBlock> blocks;
  Eigen::Index first = 0;
  for (const std::size_t i : of.space.bodies()) {
    NamedBlock& block = blocks.emplace_back(of.chain.problem().bodies[i].name, placed_mesh(of, i));
    const Eigen::Index n = block.grid.n_cells();
    for (const FieldArray& array : arrays)
      block.cell_arrays.push_back({array.name, array.values.middleCols(first, n), array.unit});
    first += n;
  }
  write_blocks(vtm, blocks);
}

FieldArray cell_array(const std::string& name, const DesignSpace& space, const BodyFields& fields,
                      const std::string& unit) {
  FieldArray array{name, MatrixXd(1, 0), unit};
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
  const auto add = [&](const char* name, const char* unit, const auto& member) {
    BodyFields fields;
    for (const fem::BodyDesign& body : design.bodies) {
      fields.push_back(body.*member);
      if (fields.back().size() != body.density.size()) fields.back() = VectorXd::Zero(body.density.size());
    }
    arrays.push_back(cell_array(name, space, fields, unit));
  };
  add("thickness", "m", &fem::BodyDesign::thickness);
  add("youngs_modulus", "Pa", &fem::BodyDesign::youngs_modulus);
  add("solid_density", "kg/m^3", &fem::BodyDesign::solid_density);
  return arrays;
}

namespace {

MeshField field_of(const EvaluationChain& chain, const DesignPicture& picture, std::size_t i) {
  return {design_mesh(*chain.body(i), picture.design.bodies[i]), picture.fields[i]};
}

/// True if all designed bodies are flat and stand in planes z = constant.
bool stand_in_plane(const EvaluationChain& chain, const DesignPicture& picture, const BodyPoses& poses) {
  constexpr double parallel = 1e-6;
  return !poses.empty() && std::ranges::all_of(picture.space.bodies(), [&](std::size_t i) {
    return chain.body(i)->mesh().dim() == 2 && std::abs(1.0 - poses[i].S(2, 2)) <= parallel;
  });
}

/// Writes a picture per design body: `path`, or with several bodies `<stem>_<body>.png`, which the folder claims.
/// @param write  gets the file, the number of the body, and a title
template <class Write>
void write_pictures(RunDirectory& folder, const std::filesystem::path& path, const EvaluationChain& chain,
                    const DesignPicture& picture, const Write& write) {
  const bool several = picture.space.bodies().size() > 1;
  for (const std::size_t i : picture.space.bodies()) {
    std::filesystem::path file = path;
    if (several) {
      file.replace_filename(path.stem().string() + "_" + chain.problem().bodies[i].name +
                            path.extension().string());
      folder.claim(file);
    }
    write(file, i, picture_title(picture.title, several ? chain.problem().bodies[i].name : ""));
  }
}

void write_solid_picture(const std::filesystem::path& file, const fem::FlexibleBody& body,
                         const fem::BodyDesign& design, const std::string& title) {
  const DensityField field = density_field(body, design);
  write_solid_png(file, drawn_surface(field), box_around(field.mesh),
                  {fmt::format("{}{}surface of density 0.5", title, title.empty() ? "" : ": ")});
}

}  // namespace

void write_sensitivity_pictures(RunDirectory& folder, const std::filesystem::path& path,
                                const EvaluationChain& chain, const DesignPicture& picture) {
  write_pictures(folder, path, chain, picture,
                 [&](const std::filesystem::path& file, std::size_t i, const std::string& title) {
                   write_signed_png(file, field_of(chain, picture, i), {title});
                 });
}

void write_density_pictures(RunDirectory& folder, const std::filesystem::path& path,
                            const EvaluationChain& chain, const DesignPicture& picture,
                            const BodyPoses& poses) {
  write_pictures(folder, path, chain, picture,
                 [&](const std::filesystem::path& file, std::size_t i, const std::string& title) {
                   if (chain.body(i)->mesh().dim() == 2)
                     write_density_png(file, field_of(chain, picture, i), {title});
                   else
                     write_solid_picture(file, *chain.body(i), picture.design.bodies[i], title);
                 });
  if (picture.space.bodies().size() < 2 || !stand_in_plane(chain, picture, poses)) return;
  const DesignFields of{chain, picture.space, picture.design, poses};
  const FieldArray densities = cell_array("density", picture.space, picture.fields);
  write_density_png(path, {placed_grid(of), densities.values.transpose()}, {picture.title});
}

void write_sids(const std::filesystem::path& path, const EvaluationChain& chain, const ChainResult& result,
                const FileHeader& header) {
  std::vector<NamedSid> sids;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) sids.push_back({chain.problem().bodies[i].name, result.reduced[i].sid});
  }
  write_sid_file(path, sids, header);
}

void write_augmented_sids(const std::filesystem::path& path, const EvaluationChain& chain,
                          const ChainResult& result,
                          const std::vector<std::optional<BodyAugmentation>>& augmentations,
                          FileHeader header) {
  Hdf5File file = Hdf5File::create(path);
  header.content = "sid";
  write_file_header(file, header);
  for (std::size_t i = 0; i < augmentations.size(); ++i) {
    if (!augmentations[i]) continue;
    const BodyAugmentation& body = *augmentations[i];
    write_augmented_sid(file, chain.problem().bodies[i].name, result.reduced[i].sid, body.augmentation,
                        [&](const SidCoefficient& c) { return body.derivatives.derivative(c); });
  }
  file.commit();
}

std::vector<std::string> write_motion(const std::filesystem::path& pvd, EvaluationChain& chain,
                                      const ChainResult& result,
                                      const std::function<void(const std::filesystem::path&)>& claim) {
  std::vector<std::string> of_frames;
  std::vector<std::string> lines = chain.draw(result, [&](const std::string& case_name,
                                                          MotionFrames& frames) {
    std::filesystem::path file = pvd;
    if (!case_name.empty()) {
      file.replace_filename(fmt::format("{}_{}{}", pvd.stem().string(), case_name, pvd.extension().string()));
      if (claim) claim(file);
    }
    write_motion(file, frames);
    for (const std::string& remark : frames.diagnostics())
      of_frames.push_back(fmt::format("{}: {}", file.filename().string(), remark));
  });
  lines.insert(lines.end(), of_frames.begin(), of_frames.end());
  return lines;
}

std::string picture_title(const std::string& title, const std::string& what) {
  return title.empty() || what.empty() ? title + what : title + ", " + what;
}

BodyPoses start_poses(const ChainResult& result) {
  if (!result.motion || result.trajectory.n_stored == 0) return {};
  return result.motion->start_poses(result.trajectory);
}

MotionSummary summary_of(const ChainResult& result) {
  return result.motion ? result.motion->summarize(result.trajectory) : result.answer->summarize();
}

void write_answer(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result) {
  UnstructuredGrid grid;
  FieldArray density{"density", MatrixXd(1, 0), ""}, body{"body", MatrixXd(1, 0), ""};
  std::vector<FieldArray> fields, of_elements;
  const auto append_columns = [](const MatrixXd& values, MatrixXd& to) {
    to.conservativeResize(values.rows(), to.cols() + values.cols());
    to.rightCols(values.cols()) = values;
  };
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    const fem::BodyDesign& design = result.design.bodies[i];
    append(grid, design_mesh(*chain.body(i), design));
    append_columns(design.density.transpose(), density.values);
    append_columns(MatrixXd::Constant(1, design.density.size(), static_cast<double>(i)), body.values);
    for (const NodalField& own : result.answer->fields(i)) {
      auto field = std::ranges::find(fields, own.name, &FieldArray::name);
      if (field == fields.end())
        field = fields.insert(
            fields.end(), {own.name, MatrixXd::Zero(3, grid.points.cols() - own.values.cols()), own.unit});
      append_columns(own.values, field->values);
    }
    for (FieldArray& field : fields)
      append_columns(MatrixXd::Zero(3, grid.points.cols() - field.values.cols()), field.values);
    const std::vector<ElementField> stresses = result.answer->element_fields(i);
    of_elements.resize(stresses.size());
    for (std::size_t k = 0; k < stresses.size(); ++k) {
      if (i == 0) of_elements[k] = {stresses[k].name, MatrixXd(1, 0), stresses[k].unit};
      append_columns(stresses[k].values.transpose(), of_elements[k].values);
    }
  }
  std::vector<FieldArray> cells = {std::move(density), std::move(body)};
  cells.insert(cells.end(), of_elements.begin(), of_elements.end());
  VtuOptions options;
  for (const ProblemBody& one : chain.problem().bodies) options.bodies.push_back(one.name);
  write_vtu(folder / "answer.vtu", grid, cells, fields, options);
}

void draw_motion(RunDirectory& folder, EvaluationChain& chain, const ChainResult& result) {
  const auto claim = [&](const std::filesystem::path& file) { folder.claim(file); };
  for (const std::string& line : write_motion(folder / "motion.pvd", chain, result, claim)) log_warning(line);
}

FileHeader file_header(const Problem& problem, const std::string& content, const std::string& command) {
  const TomlDocument& document = *problem.document;
  FileHeader header;
  header.content = content;
  header.title = problem.title;
  header.command = command;
  header.input_name = document.file;
  header.input_text = document.text;
  header.overrides = document.overrides;
  header.input_directory = document.directory.string();
  return header;
}

}  // namespace kurbel
