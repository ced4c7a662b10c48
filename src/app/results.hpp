/// @file
/// Converts results of the chain to the data that the writers of output/ take.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "evaluation/augmented_export.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "output/density_image.hpp"
#include "output/run_directory.hpp"
#include "output/run_file.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {

/// Places of the bodies of a problem, by body; empty: each is in its own reference frame.
using BodyPoses = std::vector<MotionPose>;

/// "Title, what", or `what` alone if the problem has no title.
std::string picture_title(const std::string& title, const std::string& what);

/// Places of the bodies at the start of a motion; none without one.
BodyPoses start_poses(const ChainResult& result);

/// Writes the meshes of all design bodies as one grid, side by side as they stand. Their fields follow in the same
/// order. The cell array `body` is the index of an element's body among [bodies], which the field data `bodies`
/// names.
struct DesignFields {
  const EvaluationChain& chain;
  const DesignSpace& space;
  const Design& design;
  const BodyPoses& poses;
};
void write_design_fields(const std::filesystem::path& path, const DesignFields& of,
                         std::vector<FieldArray> arrays, std::optional<int> iteration = {});
/// Writes the same as a .vtm with a block under the name of each body, in single precision and without `body`.
void write_design_blocks(const std::filesystem::path& vtm, const DesignFields& of,
                         const std::vector<FieldArray>& arrays);
FieldArray cell_array(const std::string& name, const DesignSpace& space, const BodyFields& fields,
                      const std::string& unit = "");
/// The cell arrays density, and thickness, youngs_modulus, solid_density where elements have values of their
/// own.
std::vector<FieldArray> design_arrays(const DesignSpace& space, const Design& design);

/// A number per element of the design bodies, to be drawn.
struct DesignPicture {
  const DesignSpace& space;
  const Design& design;  ///< whose mesh is drawn
  const BodyFields& fields;
  std::string title;
};
/// Writes a signed field, a picture per design body: `path`, or with several bodies `<stem>_<body>.png`, which the folder
/// claims.
void write_sensitivity_pictures(RunDirectory& folder, const std::filesystem::path& path,
                                const EvaluationChain& chain, const DesignPicture& picture);

/// The same of densities: grey levels of flat bodies, and of solids the smoothed surface. Of several flat bodies there is one
/// more, `path`, in which they stand side by side in their plane.
void write_density_pictures(RunDirectory& folder, const std::filesystem::path& path,
                            const EvaluationChain& chain, const DesignPicture& picture,
                            const BodyPoses& poses);

/// SIDs of all bodies with a mesh.
void write_sids(const std::filesystem::path& path, const EvaluationChain& chain, const ChainResult& result,
                const FileHeader& header);

/// SIDs of all bodies with a mesh, augmented; atomically.
void write_augmented_sids(const std::filesystem::path& path, const EvaluationChain& chain,
                          const ChainResult& result,
                          const std::vector<std::optional<BodyAugmentation>>& augmentations,
                          FileHeader header);

/// Writes the moving mechanism as this .pvd; of several cases, as `<stem>_<case>.pvd` each.
/// @param claim  gets the file of each case before it is written
/// @return  what is not to be seen as it should be, for the log
std::vector<std::string> write_motion(const std::filesystem::path& pvd, EvaluationChain& chain,
                                      const ChainResult& result,
                                      const std::function<void(const std::filesystem::path&)>& claim = {});

/// The summary of the motion, of the modes, or of the answer.
MotionSummary summary_of(const ChainResult& result);

/// Writes answer.vtu: densities of all bodies, with displacements, stresses and buckling modes under loads, or with natural
/// modes. Several bodies stand side by side in one frame.
void write_answer(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result);

/// Writes motion.pvd, and tells in the log what it does not show as it should.
void draw_motion(RunDirectory& folder, EvaluationChain& chain, const ChainResult& result);

/// Origin of a run, for its files.
FileHeader file_header(const Problem& problem, const std::string& content, const std::string& command);

}  // namespace kurbel
