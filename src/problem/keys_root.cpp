/// The tables of an input file.
#include <algorithm>

#include "problem/key_groups.hpp"
#include "problem/part_tables.hpp"

namespace kurbel {

namespace {

/// With the kinds of parts that are not among the keys yet behind the joints.
KeyGroup with_parts(KeyGroup group) {
  auto behind = std::ranges::find(group.keys, "joints", &Key::name) + 1;
  for (const PartSection& part : part_sections()) {
    if (std::ranges::find(group.keys, part.key.name, &Key::name) == group.keys.end())
      behind = group.keys.insert(behind, part.key) + 1;
  }
  return group;
}

}  // namespace

const TomlTable::Words<Analysis> keys::analyses = {{"motion", Analysis::motion},
                                                   {"modes", Analysis::modes},
                                                   {"frequency-response", Analysis::frequency_response},
                                                   {"static", Analysis::statics},
                                                   {"eigenfrequency", Analysis::eigenfrequency}};

const TomlTable::Words<Formulation> keys::formulations = [] {
  TomlTable::Words<Formulation> words;
  for (const FormulationTraits& traits : formulation_table)
    words.emplace_back(traits.word, traits.formulation);
  return words;
}();

const TomlTable::Words<int> keys::axis_indices = {{"x", 0}, {"y", 1}, {"z", 2}};

const char* word_of(Analysis analysis) {
  return TomlTable::word_of(analysis, keys::analyses).c_str();
}

const KeyGroup& root_keys() {
  using namespace keys;
  static const KeyGroup group = with_parts(
      {"input",
       "an input file",
       {
           {"title", text(), "", optional, "one line that describes the problem"},
           {"analysis", word(TomlTable::names_of(analyses)), "", defaults("motion"),
            "what is computed. motion: the mechanism over time; modes: its vibrations about the start, a "
            "state of rest; frequency-response: its response there to harmonic loads and drives; static: the "
            "deformation of flexible bodies alone under constant loads; eigenfrequency: their natural "
            "frequencies"},
           {"formulation", word(TomlTable::names_of(formulations)), "", defaults("floating-frame"),
            "coordinates of the equations of motion. floating-frame: a frame for each body; semi-recursive: "
            "the joints; hamiltonian, joint-hamiltonian: frames or joints, with momenta in place of "
            "velocities; natural-coordinates: vectors of the inertial frame"},
           Key{"coordinates", table<coordinates>(), "", optional,
               "choice of the unknowns, with formulation = \"natural-coordinates\""},
           {"include", text() | list_of(text()), "", optional,
            "files, relative to this one, that this file changes: tables are merged key by key; any other "
            "value, and a table in braces, { ... }, replaces that of the files"},
           Key{"gravity", vector3(), "m/s^2", defaults(zero), "acceleration of free fall"}.by_case(),

           Key{"bodies", names<body>(), "", required_if("there are no beams"),
               "bodies and mass points, by name"}
               .by_case(),
           Key{"ground", table(ground), "", optional, "the inertial frame"}.by_case(),
           Key{"points", names<named_point>(), "", optional,
               "places at the start, by name, to which markers, ends of beams and arcs refer"},
           Key{"beams", names<beam>(), "", optional,
               "beams, by name; with formulation = \"natural-coordinates\", and of type \"spatial\" with "
               "\"floating-frame\""},
           find_part_section("masses")->key,
           Key{"joints", names<joint>(), "", optional, "joints between markers, and their drives, by name"}
               .by_case(),
           Key{"loads", names<load>(), "", optional,
               "forces and torques at markers and loads on surfaces, by name"}
               .by_case(),
           Key{"road", table<road>(), "", optional, "the road, on which tyres roll"}.by_case(),
           find_part_section("tyres")->key,
           Key{"initial", table<initial>(), "", optional, "the start of the mechanism"}.by_case(),
           {"controls", names<control>(), "", optional,
            "forces and torques whose time histories are optimized, by name"},

           Key{"integrator", table<integrator>(), "", required_if("anything is simulated"),
               "time, step and method of the integration"},
           {"frequency_response", table<frequency_response>(), "",
            required_if("analysis = \"frequency-response\""), "the frequencies of harmonic loads and drives"},
           {"outputs", names(output_quantity), "", optional,
            "quantities that are written over time or frequency, by name; objective and constraints may "
            "refer to them"},
           {"objective", one_or_more(term), "", required_if("anything is optimized"),
            "function to be minimized: a term, or the sum of several, `[[objective]]`"},
           {"constraints", table<constraints>(), "", optional, "bounds that the design has to meet"},
           {"variables", names(variable), "", optional, "numbers of the mechanism that vary, by name"},
           {"design", table(design), "", optional, "which densities vary, and where variables start"},
           Key{"filter", table<filter>(), "", optional, "smoothing of the densities or of their gradient"},
           Key{"projection", table<projection>(), "", optional, "sharpening of the densities"},
           {"sensitivity", table<sensitivity>(), "", optional, "how gradients are computed"},
           {"optimizer", table<optimizer>(), "", optional, "the optimizer and its stopping rules"},
           {"stages", names<stage>(), "", optional,
            "optimizations that run before the problem's own, by name, in the order of the file"},
           {"cases", names(own_case), "", optional,
            "manoeuvres of one mechanism, by name; each states what differs from the tables that all share"},
           {"over_cases", table<over_cases>(), "", optional, "how the objectives of the cases are combined"},
           {"output", table<output>(), "", optional, "what is written"},
       }});
  return group;
}

}  // namespace kurbel
