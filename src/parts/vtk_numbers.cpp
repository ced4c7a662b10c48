#include "parts/vtk_numbers.hpp"

#include <fmt/format.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkLZMADataCompressor.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/letters.hpp"
#include "base/numbers.hpp"

namespace kurbel {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

/// Calls f with a value of the type that VTK names so.
template <class F>
auto with_type(VtkNumber type, const F& f) {
  switch (type) {
    case VtkNumber::int8:
      return f(std::int8_t{});
    case VtkNumber::uint8:
      return f(std::uint8_t{});
    case VtkNumber::int16:
      return f(std::int16_t{});
    case VtkNumber::uint16:
      return f(std::uint16_t{});
    case VtkNumber::int32:
      return f(std::int32_t{});
    case VtkNumber::uint32:
      return f(std::uint32_t{});
    case VtkNumber::int64:
      return f(std::int64_t{});
    case VtkNumber::uint64:
      return f(std::uint64_t{});
    case VtkNumber::float32:
      return f(float{});
    case VtkNumber::float64:
      break;
  }
  return f(double{});
}

template <class T>
T number_at(const char* bytes, std::endian order) {
  std::array<char, sizeof(T)> own;
  std::copy_n(bytes, sizeof(T), own.begin());
  if (order != std::endian::native) std::ranges::reverse(own);
  return std::bit_cast<T>(own);
}

/// Takes bytes one behind the other from text in base64, or from bytes as they are.
class Bytes {
 public:
  Bytes(std::string_view text, bool base64) : rest_(text), base64_(base64) {}

  /// Number of bytes that are left at most.
  std::size_t left() const { return pending_.size() + (base64_ ? rest_.size() / 4 * 3 : rest_.size()); }

  std::string take(std::uint64_t count) {
    if (count > left())
      throw std::invalid_argument(fmt::format("its data end {} bytes before they should", count - left()));
    const auto n = static_cast<std::size_t>(count);
    if (!base64_) {
      std::string bytes(rest_.substr(0, n));
      rest_.remove_prefix(n);
      return bytes;
    }
    std::string bytes = std::exchange(pending_, {});
    bytes.reserve(n + 3);
    while (bytes.size() < n) take_four(bytes);
    pending_ = bytes.substr(n);
    bytes.resize(n);
    return bytes;
  }

 private:
  /// Appends the bytes of four characters. Padding may be followed by further data: a head is often encoded by itself.
  void take_four(std::string& bytes) {
    std::uint32_t bits = 0;
    std::size_t n_padding = 0;
    for (int i = 0; i < 4; ++i) {
      while (!rest_.empty() && blanks.find(rest_.front()) != blanks.npos) rest_.remove_prefix(1);
      if (rest_.empty()) throw std::invalid_argument("its base64 data are cut off");
      const char c = rest_.front();
      rest_.remove_prefix(1);
      const int value = c == '=' && i >= 2 ? 0 : values[static_cast<unsigned char>(c)];
      if (value < 0 || (n_padding > 0 && c != '='))
        throw std::invalid_argument(
            fmt::format("the byte {:#04x} in its data is not of base64", static_cast<unsigned char>(c)));
      if (c == '=') ++n_padding;
      bits = (bits << 6) | static_cast<std::uint32_t>(value);
    }
    for (std::size_t i = 0; i < 3 - n_padding; ++i)
      bytes += static_cast<char>((bits >> (16 - 8 * i)) & 0xffu);
  }

  /// The number that each character stands for, -1 if for none.
  static constexpr auto values = [] {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
      table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    return table;
  }();
  std::string_view rest_;
  bool base64_;
  std::string pending_;  ///< decoded and not yet taken
};

vtkSmartPointer<vtkDataCompressor> compressor_of(std::string_view name) {
  if (name == "vtkZLibDataCompressor") return vtkSmartPointer<vtkZLibDataCompressor>::New();
  if (name == "vtkLZ4DataCompressor") return vtkSmartPointer<vtkLZ4DataCompressor>::New();
  if (name == "vtkLZMADataCompressor") return vtkSmartPointer<vtkLZMADataCompressor>::New();
  throw std::invalid_argument(fmt::format("the compressor \"{}\" is none of VTK", shown(name)));
}

class ArrayDecoder {
 public:
  ArrayDecoder(std::string_view text, const VtkEncoding& encoding, std::uint64_t largest_size)
      : encoding_(encoding), bytes_(text, encoding.base64), largest_size_(largest_size) {}

  std::string decode() {
    if (encoding_.compressor.empty()) return bytes_.take(take_number());
    return decode_blocks();
  }

 private:
  std::uint64_t take_number() {
    const std::string bytes = bytes_.take(encoding_.header_size);
    if (encoding_.header_size == 8) return number_at<std::uint64_t>(bytes.data(), encoding_.order);
    return number_at<std::uint32_t>(bytes.data(), encoding_.order);
  }

  /// The head has the number of blocks, the size of each, that of the last if it is smaller, or 0, and the compressed sizes.
  std::string decode_blocks() {
    const vtkSmartPointer<vtkDataCompressor> compressor = compressor_of(encoding_.compressor);
    const std::uint64_t n_blocks = take_number(), size = take_number(), last = take_number();
    if (n_blocks > bytes_.left() / encoding_.header_size || last > size)
      throw std::invalid_argument("the head of its compressed data is damaged");
    std::vector<std::uint64_t> compressed_sizes;
    for (std::uint64_t i = 0; i < n_blocks; ++i) compressed_sizes.push_back(take_number());
    std::string all;
    for (std::uint64_t i = 0; i < n_blocks; ++i) {
      const bool is_short = i + 1 == n_blocks && last != 0;
      append_block(*compressor, bytes_.take(compressed_sizes[i]), is_short ? last : size, all);
    }
    return all;
  }

  /// @param size  of the block as the head says it; no compressor makes more than this ratio of the data
  void append_block(vtkDataCompressor& compressor, const std::string& compressed, std::uint64_t size,
                    std::string& all) const {
    constexpr std::uint64_t largest_ratio = 10'000, largest_size = std::numeric_limits<std::int32_t>::max();
    if (size > largest_size || compressed.size() > largest_size || size > largest_ratio * compressed.size())
      throw std::invalid_argument("the head of its compressed data is damaged");
    const std::size_t before = all.size();
    if (size > largest_size_ - before)
      throw std::invalid_argument(
          fmt::format("it has more than the {} bytes that it should have", largest_size_));
    all.resize(before + size);
    const auto* from = reinterpret_cast<const unsigned char*>(compressed.data());
    auto* to = reinterpret_cast<unsigned char*>(all.data() + before);
    if (compressor.Uncompress(from, compressed.size(), to, size) != size)
      throw std::invalid_argument("its compressed data are damaged");
  }

  const VtkEncoding& encoding_;
  Bytes bytes_;
  std::uint64_t largest_size_;
};

}  // namespace

std::optional<VtkNumber> vtk_number(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, VtkNumber>, 24> names = {
      {{"int8", VtkNumber::int8},
       {"uint8", VtkNumber::uint8},
       {"int16", VtkNumber::int16},
       {"uint16", VtkNumber::uint16},
       {"int32", VtkNumber::int32},
       {"uint32", VtkNumber::uint32},
       {"int64", VtkNumber::int64},
       {"uint64", VtkNumber::uint64},
       {"float32", VtkNumber::float32},
       {"float64", VtkNumber::float64},
       {"char", VtkNumber::int8},
       {"signed_char", VtkNumber::int8},
       {"unsigned_char", VtkNumber::uint8},
       {"short", VtkNumber::int16},
       {"unsigned_short", VtkNumber::uint16},
       {"int", VtkNumber::int32},
       {"unsigned_int", VtkNumber::uint32},
       {"long", VtkNumber::int64},
       {"unsigned_long", VtkNumber::uint64},
       {"vtktypeint64", VtkNumber::int64},
       {"vtktypeuint64", VtkNumber::uint64},
       {"vtkidtype", VtkNumber::int32},
       {"float", VtkNumber::float32},
       {"double", VtkNumber::float64}}};
  const auto found =
      std::ranges::find(names, lower_case(name), &std::pair<std::string_view, VtkNumber>::first);
  if (found == names.end()) return {};
  return found->second;
}

std::size_t size_of(VtkNumber type) {
  return with_type(type, [](auto value) { return sizeof(value); });
}

template <class To>
std::vector<To> numbers_in_bytes(std::string_view bytes, VtkNumber type, std::endian order) {
  return with_type(type, [&]<class From>(From) {
    std::vector<To> numbers(bytes.size() / sizeof(From));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<To>(number_at<From>(bytes.data() + i * sizeof(From), order));
    return numbers;
  });
}
template std::vector<double> numbers_in_bytes(std::string_view, VtkNumber, std::endian);
template std::vector<std::int64_t> numbers_in_bytes(std::string_view, VtkNumber, std::endian);

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

template <>
std::optional<double> number_in_word(std::string_view word) {
  if (const std::optional<double> number = parse_number(word)) return number;
  // A number that is too small for a double is 0 or nearly so; one that is too large is none.
  double number = 0;
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc::result_out_of_range || end != word.data() + word.size()) return {};
  number = std::strtod(std::string(word).c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}
template <>
std::optional<std::int64_t> number_in_word(std::string_view word) {
  return parse_integer(word);
}

std::string shown(std::string_view word) {
  constexpr std::size_t longest = 30;
  std::string text(word.substr(0, longest));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string decoded_array(std::string_view text, const VtkEncoding& encoding, std::uint64_t largest_size) {
  return ArrayDecoder(text, encoding, largest_size).decode();
}

}  // namespace kurbel
