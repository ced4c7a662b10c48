#include "app/report_motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "report/packed.hpp"
#include "report/skin.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using nlohmann::json;

constexpr double most_bytes = 1.3e6;  // of all frames
constexpr Index most_motions = 12, most_frames = 80, least_frames = 8;

/// The surfaces and lines of each block of a mechanism, with their own numbers of points, as the page draws them.
class Blocks {
 public:
  explicit Blocks(const std::vector<NamedBlock>& blocks) {
    for (const NamedBlock& block : blocks) add(block);
  }

  Index n_points() const { return n_points_; }

  /// The blocks with what moves them.
  json with_frames(MotionFrames& frames, const std::vector<Index>& chosen, std::vector<double>& times) const {
    std::vector<MatrixXd> all(used_.size());
    for (std::size_t b = 0; b < used_.size(); ++b)
      all[b].resize(3 * std::ssize(used_[b]), std::ssize(chosen));
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const auto frame = static_cast<std::size_t>(chosen[k]);
      times.push_back(frames.time(frame));
      const std::vector<NamedBlock>& now = frames.blocks(frame);
      for (std::size_t b = 0; b < used_.size(); ++b)
        all[b].col(static_cast<Index>(k)) = now[b].grid.points(Eigen::all, used_[b]).reshaped();
    }
    json blocks = blocks_;
    for (std::size_t b = 0; b < used_.size(); ++b) blocks[b]["frames"] = packed_finely(all[b]);
    return blocks;
  }

 private:
  void add(const NamedBlock& block) {
    Skin skin = skin_of(block.grid, false);
    std::vector<int> number(static_cast<std::size_t>(block.grid.points.cols()), -1);
    std::vector<Index>& points = used_.emplace_back();
    for (Eigen::MatrixXi* faces : {&skin.triangles, &skin.lines}) {
      for (int& point : faces->reshaped()) {
        int& own = number[static_cast<std::size_t>(point)];
        if (own < 0) own = static_cast<int>(points.size()), points.push_back(point);
        point = own;
      }
    }
    n_points_ += std::ssize(points);
    blocks_.push_back({{"name", block.name},
                       {"n_points", points.size()},
                       {"triangles", packed(skin.triangles)},
                       {"lines", packed(skin.lines)}});
  }

  json blocks_ = json::array();
  std::vector<std::vector<Index>> used_;  ///< points of each block that are drawn
  Index n_points_ = 0;
};

/// "mode_1" with its period as "mode 1: 0.42 Hz"; of a case "high_mode_1" as "high mode 1: 0.42 Hz".
std::string name_of_mode(std::string name, double period) {
  const bool swings = name.rfind("rigid_body_") == std::string::npos;
  std::ranges::replace(name, '_', ' ');
  return swings ? fmt::format("{}: {:.4g} Hz", name, 1.0 / period) : name;
}

/// How many frames there is room for.
Index affordable(const Blocks& blocks) {
  constexpr double of_point = 3 * sizeof(std::uint16_t);
  return static_cast<Index>(most_bytes / (of_point * std::max(1.0, static_cast<double>(blocks.n_points()))));
}

json motion_of(MotionFrames& frames, const Blocks& blocks, Index most) {
  std::vector<double> times;
  json drawn = blocks.with_frames(
      frames, chosen_of(static_cast<Index>(frames.n_frames()), std::min(most_frames, most)), times);
  return {{"times", std::move(times)}, {"blocks", std::move(drawn)}};
}

}  // namespace

std::vector<Index> chosen_of(Index n, Index most) {
  std::vector<Index> chosen;
  const Index kept = std::min(n, most);
  for (Index k = 0; k < kept; ++k) chosen.push_back(kept == 1 ? 0 : k * (n - 1) / (kept - 1));
  return chosen;
}

json motions_of(EvaluationChain& chain, const ChainResult& result, std::vector<std::string>& warnings) {
  Index n = 0;
  chain.draw(result, [&](const std::string&, MotionFrames& frames) { n += frames.n_frames() > 0 ? 1 : 0; });
  const bool is_motion = chain.problem().analysis == Analysis::motion;
  json list = json::array();
  Index shown = 0;  // as many as there is room for, once the first one has told its size
  chain.draw(result, [&](const std::string& name, MotionFrames& frames) {
    if (frames.n_frames() == 0 || (shown > 0 && std::ssize(list) >= shown)) return;
    const Blocks blocks(frames.blocks(0));
    if (list.empty()) shown = std::min({n, most_motions, affordable(blocks) / least_frames});
    if (shown == 0) return;
    json motion = motion_of(frames, blocks, std::max(least_frames, affordable(blocks) / shown));
    motion["name"] = is_motion ? name : name_of_mode(name, motion["times"].back().get<double>());
    list.push_back(std::move(motion));
  });
  if (std::ssize(list) < n)
    warnings.push_back(
        list.empty()
            ? "The moving mechanism is left out: it has too many points for a page. `kurbel simulate` "
              "draws it for ParaView."
            : fmt::format("{} of {} motions are shown. `kurbel simulate` draws all for ParaView.",
                          list.size(), n));
  if (list.empty()) return {};
  // Gravity along z says what is above.
  const Vector3d gravity = chain.problem().system.gravity.cwiseAbs();
  const bool is_z_above = gravity.z() > gravity.head<2>().maxCoeff();
  return {{"title", is_motion ? "Motion" : "Modes of the mechanism"},
          {"up", is_z_above ? "z" : "y"},
          {"list", std::move(list)}};
}

}  // namespace kurbel
