/// @file
/// The two ways in which a run can go wrong.
///
/// What a user can get wrong is thrown once, at the boundary, as an InputError (exit code 2). What the
/// numerics can meet is a returned Status (exit code 3): the caller decides what becomes of it.
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace kurbel {

/// Unusable input: one message that names file, line and key, the value and what is allowed.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A numerical failure: what happened, in which body or joint, when, and what the user can try.
struct Failure {
  std::string what;         ///< e.g. "Newton's iteration does not converge (residual 3.1e+04)"
  std::string where = {};   ///< body, joint or phase; may be empty
  std::string advice = {};  ///< what to try; may be empty
  double time = std::numeric_limits<double>::quiet_NaN();  ///< s; NaN when no time belongs to it

  std::string message() const;
};

/// Empty on success.
using Status = std::optional<Failure>;

}  // namespace kurbel
