/// @file
/// Private to the files that see HDF5: questions to a file and their answers, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hdf5_file.hpp"

namespace kurbel {

struct Hdf5Query {
  enum class What : std::uint8_t {
    has,
    members,
    array,
    row,
    n_rows,
    texts,
    has_attribute,
    number_attribute,
    integer_attribute,
    texts_attribute
  };
  What what = What::has;
  std::string object;
  std::string attribute = {};
  std::int64_t row = 0;
};

/// What was asked for; the rest is empty.
struct Hdf5Answer {
  std::string error = {};  ///< why there is none
  std::int64_t integer = 0;
  double number = 0.0;
  Hdf5Array array = {};
  std::vector<std::string> texts = {};
};

}  // namespace kurbel
