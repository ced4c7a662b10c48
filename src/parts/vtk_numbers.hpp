/// @file
/// Arrays of numbers in VTK's files.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kurbel {

enum class VtkNumber { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// Type by its name in XML ("Float64") or in legacy files ("double"), in any case of letters; none if VTK has no such type.
std::optional<VtkNumber> vtk_number(std::string_view name);

inline bool is_whole(VtkNumber type) {
  return type != VtkNumber::float32 && type != VtkNumber::float64;
}

std::size_t size_of(VtkNumber type);

/// Numbers of that type one behind the other; a rest that is shorter than a number is left out.
/// @param To  double or std::int64_t
template <class To>
std::vector<To> numbers_in_bytes(std::string_view bytes, VtkNumber type, std::endian order);

/// Removes the first word, between white space, from a text and returns it; empty if there is none.
std::string_view take_word(std::string_view& text);

/// The number that a word is; none if it is no number or does not fit.
/// @param To  double or std::int64_t
template <class To>
std::optional<To> number_in_word(std::string_view word);

/// The beginning of a word of a file, for messages, with a question mark for each byte that cannot be printed.
std::string shown(std::string_view word);

/// Encoding of the arrays of a .vtu file.
struct VtkEncoding {
  bool base64 = true;
  std::size_t header_size = 4;  ///< bytes of a number in the head of an array: 4 or 8
  std::endian order = std::endian::little;
  std::string_view compressor{};  ///< VTK's name of the class; empty: none
};

/// Bytes of the array that begins a text, without the head that tells their number.
/// @param largest_size  of what compressed data may become, which their head could make of any size
/// @throws std::invalid_argument, with what is wrong with the data, if they are damaged
std::string decoded_array(std::string_view text, const VtkEncoding& encoding, std::uint64_t largest_size);

}  // namespace kurbel
