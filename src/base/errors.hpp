/// @file
/// The two ways in which a run can go wrong.
///
/// A mistake in the input is thrown once, at the boundary, as an InputError (exit code 2). A failure of the
/// numerics is a returned Status (exit code 3), with which the caller deals.
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

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

/// Success, or the failure of a numerical step.
class [[nodiscard]] Status {
 public:
  Status() = default;  ///< success
  Status(Failure failure) : failure_(std::move(failure)) {}

  bool failed() const { return failure_.has_value(); }
  /// @throws std::bad_optional_access  on success
  const Failure& failure() const { return failure_.value(); }
  /// of the failure; empty on success
  std::string message() const { return failed() ? failure().message() : std::string(); }

 private:
  std::optional<Failure> failure_;
};

}  // namespace kurbel
