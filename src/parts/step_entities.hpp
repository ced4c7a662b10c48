/// @file
/// The kinds of entities by which STEP files state shapes (ISO 10303-42), as far as a damaged file is known by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kurbel {

/// The kind of the entity to which a reference has to lead: the first one of a LINE leads to a CARTESIAN_POINT. Nothing if it may
/// lead to several kinds, or if the referring kind is not known.
/// @param place  of the reference among those of the entity, from 0
std::optional<std::string_view> kind_needed(std::string_view kind, int place);

/// The known kind that an unknown one means if they differ by one letter.
std::optional<std::string> misspelled_kind(std::string_view kind);

}  // namespace kurbel
