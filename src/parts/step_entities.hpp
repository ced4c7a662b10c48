/// @file
/// The kinds of entities by which STEP files state shapes (ISO 10303-42), as far as a damaged file is known by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kurbel {

/// The kind that the reference of an entity has to have: "CARTESIAN_POINT" of the first one of LINE. Nothing where it may have
/// one of many, or the referring kind is not known.
/// @param place  of the reference among those of the entity, from 0
std::optional<std::string_view> kind_needed(std::string_view kind, int place);

/// The known kind from which one that is not known differs by one letter, which the file therefore has by a fault.
std::optional<std::string> misspelled_kind(std::string_view kind);

}  // namespace kurbel
