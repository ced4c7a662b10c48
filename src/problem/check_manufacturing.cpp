#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/checks.hpp"

namespace kurbel {

namespace {

using Casting = fem::ManufacturingSpec::Casting;

std::string word_of(const fem::AxisDirection& direction) {
  return fmt::format("{}{}", direction.sign < 0.0 ? "-" : "", "xyz"[direction.axis]);
}

/// [bodies.NAME.manufacturing] of one body.
class ManufacturingCheck {
 public:
  ManufacturingCheck(const Problem& problem, const ProblemBody& body)
      : problem_(problem),
        body_(body.flexible),
        spec_(body.flexible.manufacturing),
        key_(fmt::format("bodies.{}.manufacturing", body.name)) {}

  void run() const {
    if (std::ranges::count(problem_.design.bodies, body_.name) == 0)
      fail("", "needs densities that vary; add this body to design.bodies");
    if (spec_.maximum_member && problem_.projection.type == ProjectionOptions::Type::none)
      fail(".maximum_member", "needs a projection: grey material has no members");
    if (spec_.has_map() && problem_.filter.type == FilterOptions::Type::sensitivity)
      fail("",
           "needs filter.type = \"density\" or \"none\"; that of sensitivities leaves densities as they are");
    if (body_.mesh.dim == 2) check_plane();
    check_parting();
    check_each_other();
    for (std::size_t i = 0; i < body_.symmetry.size(); ++i) check_symmetry(i);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(const char* key, fmt::format_string<Args...> message, Args&&... args) const {
    throw problem_.error(key_ + key, fmt::format(message, std::forward<Args>(args)...));
  }

  void check_plane() const {
    if (spec_.extrusion)
      fail(".extrusion", "is for solids: a plane body has the same shape across its plane");
    if (spec_.casting && spec_.casting->draw.axis == 2) fail(".casting.draw", "leaves the plane of the body");
    if (spec_.overhang && spec_.overhang->build.axis == 2)
      fail(".overhang.build", "leaves the plane of the body");
  }

  void check_parting() const {
    if (!spec_.casting || !spec_.casting->parting) return;
    const int axis = spec_.casting->draw.axis;
    const double low = body_.mesh.origin[axis], high = low + body_.mesh.size[axis],
                 at = *spec_.casting->parting;
    if (at > low && at < high) return;
    fail(".casting.parting", "= {:g} is outside of the body, which lies between {:g} and {:g} m along {}", at,
         low, high, "xyz"[axis]);
  }

  void check_each_other() const {
    if (spec_.casting && spec_.overhang) {
      fail(".overhang",
           "contradicts casting: layers along {} would take away what makes the body drawable along {}. "
           "A body is either cast or printed",
           word_of(spec_.overhang->build), word_of(spec_.casting->draw));
    }
    if (!spec_.extrusion) return;
    if (spec_.casting && spec_.casting->draw.axis == *spec_.extrusion)
      fail(".casting.draw",
           "is the axis of its extrusion, along which every extruded body can be drawn. Leave it out");
    if (spec_.overhang && spec_.overhang->build.axis == *spec_.extrusion)
      fail(".overhang.build", "is the axis of its extrusion, along which nothing overhangs. Leave it out");
  }

  /// A plane maps columns to columns if it stands along them or across them.
  void check_symmetry(std::size_t i) const {
    const fem::SymmetryPlane& plane = body_.symmetry[i];
    const auto is_across = [&](const char* key, int axis) {
      constexpr double rounding = 1e-9;
      const double cosine = std::abs(plane.normal.normalized()[axis]);
      if (cosine > rounding && cosine < 1.0 - rounding)
        fail(key, "contradicts plane {} of its symmetry, which is oblique to {}", i + 1, "xyz"[axis]);
      return cosine > 0.5;
    };
    if (spec_.extrusion) is_across(".extrusion", *spec_.extrusion);
    if (spec_.overhang && is_across(".overhang.build", spec_.overhang->build.axis))
      fail(".overhang.build",
           "contradicts plane {} of its symmetry: the mirrored half would hang from the plate", i + 1);
    if (spec_.casting && is_across(".casting.draw", spec_.casting->draw.axis)) check_mould_across(i);
  }

  void check_mould_across(std::size_t i) const {
    const Casting& casting = *spec_.casting;
    if (!casting.two_sided) {
      fail(".casting",
           "contradicts plane {} of its symmetry: a mirrored mould opens to both sides. State sides "
           "= \"two\"",
           i + 1);
    }
    const int axis = casting.draw.axis;
    const double at = body_.symmetry[i].point[axis];
    if (casting.parting && std::abs(*casting.parting - at) > 1e-9 * body_.mesh.size[axis]) {
      fail(".casting.parting", "= {:g} contradicts plane {} of its symmetry, which is at {:g} m",
           *casting.parting, i + 1, at);
    }
  }

  const Problem& problem_;
  const fem::FlexibleBodySpec& body_;
  const fem::ManufacturingSpec& spec_;
  std::string key_;
};

}  // namespace

void check_manufacturing(const Problem& problem) {
  for (const ProblemBody& body : problem.bodies) {
    const fem::ManufacturingSpec& spec = body.flexible.manufacturing;
    if (spec.has_map() || spec.maximum_member) ManufacturingCheck(problem, body).run();
  }
}

}  // namespace kurbel
