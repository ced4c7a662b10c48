#include "app/fitted_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/finished_run.hpp"
#include "app/fitted_mesh.hpp"
#include "fem/selection.hpp"
#include "keys/toml_parser.hpp"
#include "output/csv_tables.hpp"
#include "parts/abaqus_writer.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

bool is_text(const TomlValue* value, const std::string& text) {
  const std::string* found = value ? std::get_if<std::string>(&value->data) : nullptr;
  return found && *found == text;
}

/// Names the surfaces of a part by the sets that a fitted mesh has for them.
void replace_surface_numbers(TomlValue& value, const fem::Mesh& designed) {
  if (auto* array = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& entry : *array) replace_surface_numbers(entry, designed);
  }
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (!table) return;
  for (TomlEntry& entry : *table) {
    const auto* number = std::get_if<std::int64_t>(&entry.value.data);
    if (entry.key == "surface" && number) {
      entry.value.data = set_of_surface(designed, static_cast<int>(*number));
      entry.key = "set";
    } else {
      replace_surface_numbers(entry.value, designed);
    }
  }
}

/// Takes the names of regions that are no more out of lists of places that do not count.
void forget_regions(TomlValue& value, const std::vector<std::string>& names) {
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (auto* array = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& entry : *array) forget_regions(entry, names);
  }
  if (!table) return;
  for (TomlEntry& entry : *table) {
    auto* list = entry.key == "leave_out" ? std::get_if<TomlValue::Array>(&entry.value.data) : nullptr;
    if (list)
      std::erase_if(*list, [&](const TomlValue& one) {
        return std::ranges::any_of(names, [&](const std::string& name) { return is_text(&one, name); });
      });
    else
      forget_regions(entry.value, names);
  }
}

/// Takes out variables that are surfaces of bodies, which have other nodes now.
void forget_surfaces(TomlValue* variables, const std::vector<std::string>& bodies) {
  if (!variables || !variables->table()) return;
  std::erase_if(std::get<TomlValue::Table>(variables->data), [&](const TomlEntry& entry) {
    return std::ranges::any_of(bodies, [&](const std::string& body) {
      return is_text(entry.value.find("quantity"), fmt::format("bodies.{}.mesh.surface", body));
    });
  });
}

/// Fits what is stated on a body to its new mesh: surfaces are named by sets; void regions go, for they have no elements now,
/// and so do the solver, which was chosen for the mesh of the design, and what is asked of the densities: symmetry and
/// manufacturing. Frozen regions become solid ones, since all elements are solid.
void fit_document(TomlValue& value, const std::string& body, const fem::Mesh& designed,
                  std::vector<std::string>& forgotten) {
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (!table) return;
  if (is_text(value.find("body"), body)) replace_surface_numbers(value, designed);
  TomlValue* bodies = value.find("bodies");
  if (TomlValue* own = bodies ? bodies->find(body) : nullptr) {
    replace_surface_numbers(*own, designed);
    std::erase_if(std::get<TomlValue::Table>(own->data), [](const TomlEntry& entry) {
      return entry.key == "solver" || entry.key == "symmetry" || entry.key == "manufacturing";
    });
    TomlValue* regions = own->find("regions");
    if (auto* of_name = regions ? std::get_if<TomlValue::Table>(&regions->data) : nullptr) {
      std::erase_if(*of_name, [&](const TomlEntry& entry) {
        const bool is_void = is_text(entry.value.find("kind"), "void");
        if (is_void) forgotten.push_back(entry.key);
        return is_void;
      });
      for (TomlEntry& entry : *of_name) {
        if (is_text(entry.value.find("kind"), "frozen"))
          entry.value.find("kind")->data = std::string("solid");
      }
    }
  }
  for (TomlEntry& entry : *table) fit_document(entry.value, body, designed, forgotten);
}

/// The sets of a fitted mesh for the surfaces of the designed one, or where that was a shape already, for those whose nodes it let
/// move inward only.
std::vector<std::string> outer_sets_of(const fem::FlexibleBody& designed, const fem::Mesh& fitted) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    const auto& sets = fitted.parts().sets;
    if (std::ranges::find(sets, name, &fem::MeshSet::name) != sets.end()) names.push_back(name);
  };
  if (const auto& surface = designed.spec().surface) {
    for (const fem::Place& place : surface->inward) {
      if (const auto* set = std::get_if<fem::SetName>(&place.shape)) add(set->name);
    }
  } else {
    const auto n = static_cast<int>(fem::surfaces(designed.mesh()).size());
    for (int number = 1; number <= n; ++number) add(set_of_surface(designed.mesh(), number));
  }
  return names;
}

}  // namespace

void erase_keys(TomlValue* table, const std::vector<std::string>& keys) {
  auto* entries = table ? std::get_if<TomlValue::Table>(&table->data) : nullptr;
  if (!entries) return;
  std::erase_if(*entries,
                [&](const TomlEntry& entry) { return std::ranges::find(keys, entry.key) != keys.end(); });
}

FittedProblem::FittedProblem(const ShapesOfResult& shapes, std::filesystem::path run,
                             const std::filesystem::path& folder, const std::string& suffix)
    : shapes_(shapes), run_(std::move(run)) {
  for (const CutBody& body : shapes.bodies()) {
    names_.push_back(shapes.name(body));
    files_.push_back(folder / fmt::format("{}_{}.inp", names_.back(), suffix));
  }
  files_.push_back(folder / fmt::format("variables_{}.csv", suffix));
}

void FittedProblem::mesh(const std::string& title, Report& report) {
  // Bodies that other variables design count in a volume fraction as they are.
  for (const std::size_t i : shapes_.study().space().bodies()) {
    if (std::ranges::count(names_, shapes_.study().problem().bodies[i].name) > 0) continue;
    const double volume = shapes_.study().chain().body(i)->mesh().volumes().sum();
    fitted_volume_ += volume, designed_volume_ += volume;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const CutBody& body = shapes_.bodies()[i];
    const double thickness = shapes_.thickness(body);
    const Shape shape = shapes_.make(body);
    warn_of(names_[i], shape);
    pieces_.push_back(count_pieces(shape.surface));
    const auto mesh = fitted_mesh(shapes_.model(body), shape, thickness);
    write_abaqus(files_[i], *mesh, fmt::format("Body {} of {}", names_[i], title), 1.0);
    Report own = report.part("bodies", names_[i]);
    own.say("body {}: {} and {} fit its shape", names_[i], Counted{"nodes", mesh->n_nodes(), "node"},
            Counted{"elements", mesh->n_elements(), "element"});
    own["volume"] = mesh->volumes().sum(), own["file"] = files_[i].string();
    fitted_volume_ += mesh->volumes().sum();
    designed_volume_ += shapes_.model(body).mesh().volumes().sum();
    edges_.push_back(fem::mean_edge(*mesh));
    outer_sets_.push_back(outer_sets_of(shapes_.model(body), *mesh));
    const std::string file = toml_string(std::filesystem::absolute(files_[i]).string());
    std::string mesh_table = fmt::format("bodies.{}.mesh={{file={}", names_[i], file);
    if (thickness > 0.0) mesh_table += fmt::format(",thickness={}", thickness);
    if (shapes_.model(body).spec().mesh.plane == fem::PlaneState::strain) mesh_table += ",plane=\"strain\"";
    overrides_.push_back(mesh_table + "}");
  }
}

TomlDocument FittedProblem::document(const char* what_for, const std::vector<std::string>& overrides,
                                     const std::function<void(TomlValue&)>& adapt) const {
  TomlDocument document = document_of_result(run_, what_for);
  forget_surfaces(document.root.find("variables"), names_);
  erase_keys(document.root.find("design"), {"start_variables"});
  adapt(document.root);
  document = document.of_its_tree();
  std::vector<std::string> all = overrides_;
  for (const char* plain : {"design.start=1.0", "filter={type=\"none\"}", "projection={type=\"none\"}"})
    all.emplace_back(plain);
  all.insert(all.end(), overrides.begin(), overrides.end());
  document = TomlDocument::parse(document.text, document.file, document.directory, all);
  std::vector<std::string> forgotten;
  for (const CutBody& body : shapes_.bodies())
    fit_document(document.root, shapes_.name(body), shapes_.model(body).mesh(), forgotten);
  forget_regions(document.root, forgotten);
  document = document.of_its_tree();
  Problem problem = read(document);
  return with_variables(std::move(document), std::move(problem));
}

/// A shape may lack what clamp and markers need, or have pieces that nothing holds, which is no fault of the input.
Problem FittedProblem::read(const TomlDocument& document) const {
  try {
    return read_problem(TomlDocument(document));
  } catch (const BodyFault& fault) {
    const auto found = std::ranges::find(names_, fault.body());
    if (found == names_.end()) throw;
    const int n = pieces_[static_cast<std::size_t>(found - names_.begin())];
    const std::string in_pieces =
        n > 1 ? fmt::format(", which consists of {} pieces that do not touch,", n) : std::string();
    throw ShapeFailure(
        fmt::format("the shape of body {}{} cannot take the place of its design ({}). Raise filter.radius or "
                    "constraints.volume_fraction, or refine the mesh, and optimize again",
                    fault.body(), in_pieces, fault.what()));
  }
}

/// Writes the values with which variables of the run ended to a file that the problem begins with; others begin as they do
/// without one.
TomlDocument FittedProblem::with_variables(TomlDocument document, Problem problem) const {
  const auto has = [&](const char* section) {
    const TomlValue* table = document.root.find(section);
    return table && table->table() && !table->table()->empty();
  };
  if (!has("variables") && !has("controls")) return document;
  const DesignSpace& space = shapes_.study().space();
  const VariableTable ended = space.variable_table(space.start());
  // Numbers of single elements, and edge lengths, are those of the mesh that was there before.
  const auto is_of_mesh = [&](const std::string& name) {
    const Problem& designed = shapes_.study().problem();
    return std::ranges::any_of(designed.design.variables, [&](const DesignVariable& variable) {
      const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
      if (!quantity || std::ranges::count(names_, designed.bodies[quantity->body].name) == 0) return false;
      return quantity->each_element
                 ? name.starts_with(variable.name + "[")
                 : quantity->kind == ElementQuantity::Kind::mesh_size && name == variable.name;
    });
  };
  VariableTable table = Study(std::move(problem)).space().variables().table();
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto same = std::ranges::find(ended.names, table.names[i]);
    if (same != ended.names.end() && !is_of_mesh(*same))
      table.value[static_cast<Eigen::Index>(i)] = ended.value[same - ended.names.begin()];
  }
  write_variables(files_.back(), table);
  const std::string file = std::filesystem::absolute(files_.back()).string();
  return TomlDocument::parse(document.text, document.file, document.directory,
                             {text_override("design.start_variables", file)});
}

}  // namespace kurbel
