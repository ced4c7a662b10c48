#include "problem/key_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "keys/key_text.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

namespace {

constexpr const char* preface = R"(# Input reference

All keys of an input file, from the tables by which kurbel reads them; written by `kurbel schema --markdown`.

**How to read it.** A heading is a table of the file; `*` stands for a name that you choose: `[bodies.*]` is `[bodies.crank]`,
`[bodies.rod]`, and so on. Keys with dots are tables within it: `mesh.size` of `[bodies.*]` is `size` in `[bodies.crank.mesh]`. Units are
SI, angles are radians, frames are right-handed; "unit" stands for the unit of the quantity that the key describes. Names consist of letters,
digits, `_` and `-`. An unknown key is an error, and so is one whose condition, "only if", does not hold.

**Other units.** A number with a unit may be text with another one: `radius = "5 mm"`, `rate = "3000 rpm"`, `upper = "60 bar"`. A list
may be text with one unit for all its numbers: `t = "[0, 5, 10] ms"`. Units are products of SI's, with prefixes from n to G, and of t, min, h, deg, turn,
rpm, bar, in, ft, lb, lbf, psi: `"2 N m/deg"`, `"7.85 g/cm^3"`, `"90 km/h"`. A unit of another kind is an error.

**On the command line** every key can be changed: `--set bodies.crank.mesh.size=[0.3,0.04]`, `--set objective.0.weight=2` for an element of a
list. `include` changes the keys of another file in the same way.

**In an editor** that knows Taplo, such as Visual Studio Code with Even Better TOML, the file is completed and checked while you write it. Run

    kurbel schema > kurbel.schema.json        # beside the input file

and write `#:schema ./kurbel.schema.json` as the first line of the file. `kurbel check FILE` then tells what the file describes and warns of implausible
values. [`inputs`](../inputs) has files to begin with; [theory.md](theory.md#criteria) defines the quantities.

**Formulations.** The same tables describe a mechanism in every `formulation`. `floating-frame` takes everything but points, cables and planar
beams; joint coordinates and the formulations with momenta take rigid bodies; `natural-coordinates` take rigid bodies, points and all beams. A table that
a formulation does not take is refused by name.
)";

std::string default_text(const Presence& presence) {
  switch (presence.kind) {
    case Presence::Kind::required:
      return "required";
    case Presence::Kind::required_if:
      return "required if " + presence.text;
    case Presence::Kind::optional:
      return "";
    case Presence::Kind::constant:
      return fmt::format("`{}`", value_text(presence));
    case Presence::Kind::otherwise:
      return presence.text;
  }
  return "";
}

/// The group of a key that is a table, or whose elements are.
const KeyGroup* group_of(const Forms& forms) {
  for (const Form& form : forms) {
    if (form.group) return &form.group();
    if (const KeyGroup* group = group_of(form.elements)) return group;
  }
  return nullptr;
}

bool is_by_name(const Key& key) {
  return key.forms.front().kind == Form::Kind::names;
}

/// Groups that more than one row, or group, refers to: they have a section of their own.
class SharedGroups {
 public:
  SharedGroups() { visit(root_keys()); }
  bool contains(const KeyGroup& group) const { return uses_.at(&group) > 1; }
  /// In the order in which they are met.
  std::vector<const KeyGroup*> all() const {
    std::vector<const KeyGroup*> shared;
    for (const KeyGroup* group : order_) {
      if (contains(*group)) shared.push_back(group);
    }
    return shared;
  }

 private:
  void use(const KeyGroup& group) {
    if (&group == &root_keys()) return;
    if (++uses_[&group] > 1) return;
    order_.push_back(&group);
    visit(group);
  }
  void visit(const KeyGroup& group) {
    std::set<const KeyGroup*> inner;
    for (const Key& key : group.keys) inner.insert(group_of(key.forms));
    for (const Key& key : group.keys) {
      const KeyGroup* own = group_of(key.forms);
      if (own && inner.erase(own) > 0) use(*own);
    }
    if (group.base) use(group.base());
  }
  std::map<const KeyGroup*, int> uses_;
  std::vector<const KeyGroup*> order_;
};

class Page {
 public:
  std::string write() {
    out_ = preface;
    heading("The file itself");
    begin_table();
    for (const Key& key : root_keys().keys) {
      if (!group_of(key.forms)) row("", key);
    }
    for (const Key& key : root_keys().keys) {
      if (const KeyGroup* group = group_of(key.forms)) section(key, *group);
    }
    out_ += "\n# Tables that stand in several places\n";
    for (const KeyGroup* group : shared_.all()) {
      if (group != &term_group()) shared_section(*group);
    }
    return out_;
  }

 private:
  static const KeyGroup& term_group() {
    static const Key* const objective = &*std::ranges::find(root_keys().keys, "objective", &Key::name);
    return *group_of(objective->forms);
  }

  void heading(const std::string& text) { out_ += fmt::format("\n## {}\n\n", text); }

  /// A table of the file.
  void section(const Key& key, const KeyGroup& group) {
    if (!written_.insert(&group).second) return;
    heading(fmt::format("`[{}{}]`", key.name, is_by_name(key) ? ".*" : ""));
    const std::string presence = default_text(key.presence);
    out_ += fmt::format("{}{}.\n\n", capital(key.meaning), presence.empty() ? "" : "; " + presence);
    keys(group);
  }

  void shared_section(const KeyGroup& group) {
    heading(name_of(group));
    out_ += fmt::format("{}.\n\n", capital(group.title));
    keys(group);
  }

  void keys(const KeyGroup& group) {
    begin_table();
    rows("", group);
    if (group.base) base_of(group.base());
  }

  void base_of(const KeyGroup& base) {
    if (&base == &root_keys()) {
      std::vector<std::string> names;
      for (const Key& key : base.keys) {
        const std::string name = fmt::format("`{}`", key.name);
        if (key.in_cases && std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
      out_ += fmt::format(
          "\nBesides, in place of what the cases share: {}; of a rigid body `mass`, `centre_of_mass`, "
          "`inertia` and `initial`, of a point `mass` and `initial`, of others `initial`.\n",
          fmt::join(names, ", "));
    } else if (shared_.contains(base)) {
      out_ += fmt::format("\nBesides, the keys of {}.\n", link(base));
    } else if (base.base) {
      base_of(base.base());
    }
  }

  void rows(const std::string& prefix, const KeyGroup& group) {
    for (const Key& key : group.keys) {
      row(prefix, key);
      const KeyGroup* inner = group_of(key.forms);
      if (!inner || shared_.contains(*inner)) continue;
      rows(fmt::format("{}{}{}.", prefix, key.name, is_by_name(key) ? ".*" : ""), *inner);
    }
    if (!group.base || &group.base() == &root_keys()) return;
    if (!shared_.contains(group.base())) {
      rows(prefix, group.base());
    } else if (!prefix.empty()) {
      out_ += fmt::format("| `{}`... | | | besides, the keys of {} |\n", prefix, link(group.base()));
    }
  }

  void begin_table() { out_ += "| key | type, unit | default | meaning |\n|---|---|---|---|\n"; }

  void row(const std::string& prefix, const Key& key) {
    const KeyGroup* inner = group_of(key.forms);
    const std::string more = inner && shared_.contains(*inner) ? fmt::format(": {}", link(*inner)) : "";
    const std::string unit = key.unit.empty() ? "" : ", " + key.unit;
    out_ +=
        fmt::format("| `{}{}{}` | {}{} | {} | {}{}{}{} |\n", prefix, key.name, is_by_name(key) ? ".*" : "",
                    type_text(key.forms), unit, default_text(key.presence), key.meaning, more,
                    line("Allowed: ", allowed_text(key.forms)), line("Only if ", condition_text(key)));
  }

  std::string name_of(const KeyGroup& group) const {
    std::string name = group.name;
    std::ranges::replace(name, '_', ' ');
    return capital(name);
  }

  std::string link(const KeyGroup& group) const {
    if (&group == &term_group()) return "[`[objective]`](#objective)";
    std::string anchor = group.name;
    std::ranges::replace(anchor, '_', '-');
    return fmt::format("[{}](#{})", name_of(group), anchor);
  }

  /// A further line of a cell, if there is a text.
  static std::string line(const char* head, const std::string& text) {
    return text.empty() ? "" : fmt::format("<br>{}{}", head, text);
  }

  static std::string capital(std::string text) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }

  SharedGroups shared_;
  std::set<const KeyGroup*> written_;
  std::string out_;
};

}  // namespace

std::string key_reference() {
  return Page().write();
}

}  // namespace kurbel
