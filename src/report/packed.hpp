/// @file
/// Numbers of a page as text: little-endian, in base64, which is a fifth of what JSON takes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace kurbel {

std::string base64(std::string_view bytes);

/// {type: "f32", data: ...}, column by column.
nlohmann::json packed(const Eigen::Ref<const MatrixXd>& values);
/// {type: "u32", data: ...}
nlohmann::json packed(const Eigen::Ref<const Eigen::MatrixXi>& values);
/// {type: "u8", low, size, data: ...}: value = low + size * byte / 255, within the range of the values.
nlohmann::json packed_coarsely(const Eigen::Ref<const MatrixXd>& values);
/// {type: "u16", low, size, data: ...}: value = low + size * number / 65535.
nlohmann::json packed_finely(const Eigen::Ref<const MatrixXd>& values);

}  // namespace kurbel
