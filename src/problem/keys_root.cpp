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

const KeyGroup& root_keys() {
  using namespace keys;
  static const KeyGroup group = with_parts(
      {"input",
       "an input file",
       {
           {"title", text(), "", optional, "what the problem is, in a line"},
           {"analysis", word({"motion", "modes", "frequency-response", "static", "eigenfrequency"}), "",
            defaults("motion"),
            "what is asked: how the mechanism moves, how it vibrates about its start, a state of rest, or "
            "how it "
            "responds there to harmonic loads and drives; or of its flexible bodies alone, without time, how "
            "they deform under loads at rest, or with "
            "which frequencies they vibrate"},
           {"formulation",
            word({"floating-frame", "semi-recursive", "joint-hamiltonian", "hamiltonian",
                  "natural-coordinates"}),
            "", defaults("floating-frame"),
            "in which coordinates the equations of motion are stated: bodies in their frames, "
            "or joints; with momenta in place of velocities in the Hamiltonian ones, which take rigid "
            "bodies; or vectors of the inertial frame (natural coordinates), with rigid bodies, points and "
            "beams of every type"},
           Key{"coordinates", table<coordinates>(), "", optional,
               "which coordinates are unknowns; needs formulation = \"natural-coordinates\""},
           {"include", text() | list_of(text()), "", optional,
            "files, relative to this one, over which this one is laid: tables key by key, all else in place "
            "of what was there"},
           Key{"gravity", vector3(), "m/s^2", defaults(zero), "acceleration of free fall"}.by_case(),

           Key{"bodies", names<body>(), "", required_if("there are no beams"),
               "bodies and mass points, by name"}
               .by_case(),
           Key{"ground", table(ground), "", optional, "the inertial frame"}.by_case(),
           Key{"points", names<named_point>(), "", optional,
               "places at the start, by name, at which markers, ends of beams and third places of arcs are"},
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
            "forces and torques whose time history is found, by name"},

           Key{"integrator", table<integrator>(), "", required_if("anything is simulated"),
               "time, step and method of the integration"},
           {"frequency_response", table<frequency_response>(), "",
            required_if("analysis = \"frequency-response\""), "the frequencies of harmonic loads and drives"},
           {"outputs", names(output_quantity), "", optional,
            "quantities that are written over time, or over the frequency, and that objective and "
            "constraints may refer to, by "
            "name"},
           {"objective", one_or_more(term), "", required_if("anything is optimized"),
            "what is to become least: a term, or the sum of several, `[[objective]]`"},
           {"constraints", table<constraints>(), "", optional, "what the design has to keep"},
           {"variables", names(variable), "", optional, "numbers of the mechanism that vary, by name"},
           {"design", table(design), "", optional, "which densities vary, and where variables start"},
           Key{"filter", table<filter>(), "", optional, "smoothing of the densities or of their gradient"},
           Key{"projection", table<projection>(), "", optional, "sharpening of the densities"},
           {"sensitivity", table<sensitivity>(), "", optional, "how gradients are found"},
           {"optimizer", table<optimizer>(), "", optional, "the optimizer and when it ends"},
           {"stages", names<stage>(), "", optional,
            "optimizations before that of the problem itself, by name, in the order of the file"},
           {"cases", names(own_case), "", optional,
            "manoeuvres of one mechanism, by name: each states what it has in place of what is shared"},
           {"over_cases", table<over_cases>(), "", optional, "how the objectives of the cases are joined"},
           {"output", table<output>(), "", optional, "what is written"},
       }});
  return group;
}

}  // namespace kurbel
