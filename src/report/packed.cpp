#include "report/packed.hpp"

#include <vtkBase64Utilities.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace kurbel {

namespace {

template <class T>
nlohmann::json array(const char* type, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return {{"type", type}, {"data", base64({bytes, values.size() * sizeof(T)})}};
}

/// Values of a range as whole numbers from 0 to the largest of T; what is not finite counts as the lowest.
template <class T>
nlohmann::json scaled(const char* type, const Eigen::Ref<const MatrixXd>& values) {
  constexpr double largest = std::numeric_limits<T>::max();
  const bool is_usable = values.size() > 0 && values.allFinite();
  const double low = is_usable ? values.minCoeff() : 0.0, size = is_usable ? values.maxCoeff() - low : 0.0;
  std::vector<T> numbers;
  numbers.reserve(static_cast<std::size_t>(values.size()));
  for (const double value : values.reshaped())
    numbers.push_back(size > 0.0 ? static_cast<T>(std::lround((value - low) / size * largest)) : T{0});
  nlohmann::json out = array(type, numbers);
  out["low"] = low, out["size"] = size;
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text(bytes.size() * 2 + 4, '\0');
  const auto* input = reinterpret_cast<const unsigned char*>(bytes.data());
  text.resize(vtkBase64Utilities::Encode(input, static_cast<unsigned long>(bytes.size()),
                                         reinterpret_cast<unsigned char*>(text.data())));
  return text;
}

nlohmann::json packed(const Eigen::Ref<const MatrixXd>& values) {
  std::vector<float> numbers;
  for (const double value : values.reshaped()) numbers.push_back(static_cast<float>(value));
  return array("f32", numbers);
}

nlohmann::json packed(const Eigen::Ref<const Eigen::MatrixXi>& values) {
  std::vector<std::uint32_t> numbers;
  for (const int value : values.reshaped()) numbers.push_back(static_cast<std::uint32_t>(value));
  return array("u32", numbers);
}

nlohmann::json packed_coarsely(const Eigen::Ref<const MatrixXd>& values) {
  return scaled<std::uint8_t>("u8", values);
}

nlohmann::json packed_finely(const Eigen::Ref<const MatrixXd>& values) {
  return scaled<std::uint16_t>("u16", values);
}

}  // namespace kurbel
