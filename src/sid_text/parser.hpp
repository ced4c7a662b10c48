/// @file
/// First step of reading SID text: blocks and lines, as they stand, with their line numbers.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"
#include "sid/sid_identities.hpp"

namespace kurbel::sid_text {

/// An integer, and where it stands.
struct StatedInteger {
  Eigen::Index value = 0;
  int line = 0;
};

/// A line m0( i, j) = value, or m1 or mn with three indices. Indices as written, from 1.
struct TaylorEntry {
  int line = 0;
  int order = 0;  ///< 0, 1, or 2 for mn
  std::array<Eigen::Index, 3> index{};
  double value = 0.0;
};

struct TaylorBlock {
  std::string name;
  int line = 0;                                 ///< of its name
  std::map<std::string, StatedInteger> stated;  ///< order, nrow, ncol, nq, nqn, structure
  std::vector<TaylorEntry> entries;
};

struct NodeBlock {
  std::string name, rframe = "body ref";
  int line = 0;
  std::map<std::string, TaylorBlock> members;  ///< origin, phi, psi, AP
};

struct ModalBlock {
  std::string comments;  ///< all lines before `part`
  double mass = 0.0;
  int refmod_line = 0;
  std::vector<std::string> ielastq;
  std::vector<NodeBlock> frame;
  std::map<std::string, TaylorBlock> members;  ///< mdCM ... De
  int end_line = 0;                            ///< of `end modal`
  SidPrecision precision;                      ///< of the entries
};

/// "file:line: <what>"
InputError error_at(const std::string& file, int line, const std::string& what);

/// @throws InputError for everything that can be wrong with a line by itself or with the nesting of blocks
ModalBlock parse(std::string_view text, const std::string& file);

}  // namespace kurbel::sid_text
