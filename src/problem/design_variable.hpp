/// @file
/// [variables.*]: what the optimizer varies besides densities.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "fem/body_spec.hpp"
#include "floating_frame/system_quantity.hpp"

namespace kurbel {

/// A quantity of the elements of a flexible body, an edge length of its mesh, or its surface.
struct ElementQuantity {
  enum class Kind {
    youngs_modulus,  ///< E0, Pa
    solid_density,   ///< rho0, kg/m^3
    thickness,       ///< m
    mesh_size,       ///< m, along `axis`; of the whole mesh
    mesh_surface,    ///< offsets of the nodes of the surface, m; one for each
  };
  Kind kind = Kind::youngs_modulus;
  std::size_t body = 0;  ///< position in Problem::bodies
  int axis = 0;
  fem::Place elements{};       ///< those in it
  fem::SurfaceSpec surface{};  ///< of mesh_surface
  bool each_element = false;   ///< a variable for each of them instead of one for all
};

/// A number that is another one, or its negative, or apart from that by a constant: sign variable + offset.
struct TiedQuantity {
  SystemQuantity quantity;
  double sign = 1.0;
  double offset = 0.0;
};

/// One number, or with each_element one per element, between bounds, which may be infinite. It starts at the
/// value in the file.
struct DesignVariable {
  std::string name;
  std::variant<SystemQuantity, ElementQuantity> quantity;
  double start = 0.0, lower = 0.0, upper = 0.0;
  double sign = 1.0;                 ///< -1: the variable is the negative of its quantity
  std::vector<TiedQuantity> tied{};  ///< other numbers of the mechanism that follow it
  double offset = 0.0;               ///< the quantity is sign variable + offset
  std::string unit{};                ///< empty: none
};

/// True if the variable is the end of the motion.
inline bool is_end_of_motion(const DesignVariable& variable) {
  const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
  return quantity && quantity->kind == SystemQuantity::Kind::end_of_motion;
}

/// True if the variable is a node of [controls.*].
inline bool is_control_node(const DesignVariable& variable) {
  const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
  return quantity && quantity->is<&ControlSpec::nodes>();
}

}  // namespace kurbel
