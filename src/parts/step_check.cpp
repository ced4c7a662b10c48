#include "parts/step_check.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/errors.hpp"
#include "base/letters.hpp"
#include "parts/step_entities.hpp"

namespace kurbel {

namespace {

constexpr std::string_view begin = "ISO-10303-21;", end = "END-ISO-10303-21;";

/// Goes through the text, counts lines, and finds "#12" and kinds of entities outside of texts in quotes and of comments.
class StepScanner {
 public:
  StepScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void check() {
    skip_blanks();
    if (!text_.substr(at_).starts_with(begin))
      fail(line_, "is no STEP file, which begins with ISO-10303-21;");
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'') {
        skip_quotes();
      } else if (text_.substr(at_, 2) == "/*") {
        skip_comment();
      } else if (c == '#') {
        ++at_;
        read_number();
      } else {
        if (!std::isspace(static_cast<unsigned char>(c))) before_ = c;
        step();
      }
    }
    if (text_.rfind(end) == text_.npos) fail(line_, "is cut off: it does not end with END-ISO-10303-21;");
    for (const Reference& reference : references_) check_reference(reference);
  }

 private:
  struct Entity {
    std::string_view kind;  ///< empty if it has several
    int line;
  };
  struct Reference {
    std::uint64_t number;
    std::string_view kind;  ///< of the entity that refers
    int place;              ///< among the references of this entity, from 0
    int line;
  };

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line, what));
  }
  void step() {
    if (text_[at_++] == '\n') ++line_;
  }
  void skip_quotes() {
    const int first = line_;
    ++at_;
    while (at_ < text_.size() && text_[at_] != '\'') step();
    if (at_ == text_.size()) fail(first, "a text in quotes does not end");
    ++at_;
    skip_blanks();
    if (at_ < text_.size() && std::string_view(",)'").find(text_[at_]) == std::string_view::npos)
      fail(line_, "a comma or parenthesis is missing behind a text in quotes");
  }
  void skip_comment() {
    const std::size_t last = text_.find("*/", at_);
    if (last == text_.npos) fail(line_, "a comment does not end");
    while (at_ < last + 2) step();
  }
  /// Skips white space and comments.
  void skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) step();
      if (text_.substr(at_, 2) != "/*") return;
      skip_comment();
    }
  }
  void check_reference(const Reference& reference) const {
    const auto found = entities_.find(reference.number);
    if (found == entities_.end())
      fail(reference.line, fmt::format("refers to the entity #{}, which does not exist", reference.number));
    const std::string_view kind = found->second.kind;
    const auto needed = kind_needed(reference.kind, reference.place);
    if (needed && !kind.empty() && kind != *needed)
      fail(reference.line, fmt::format("{} refers to #{}, a {}, where {} is needed", reference.kind,
                                       reference.number, kind, *needed));
  }
  /// The kind behind "#12 = "; empty before "(", where an entity has several kinds.
  std::string_view read_kind() {
    ++at_;  // "="
    skip_blanks();
    const std::size_t first = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string_view kind = text_.substr(first, at_ - first);
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '(')
      fail(line_, kind.empty() ? "has an entity without a kind"
                               : fmt::format("the parenthesis behind the entity {} is missing", kind));
    if (!kinds_.insert(kind).second) return kind;
    if (const auto meant = misspelled_kind(kind))
      fail(line_, fmt::format("has an entity {}, which is unknown; did you mean {}?", kind, *meant));
    return kind;
  }
  /// A number behind "#": of an entity that "=" follows, or of one that is referred to.
  void read_number() {
    const int line = line_;
    std::uint64_t number = 0;
    const std::size_t first = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_) {
      number = 10 * number + static_cast<std::uint64_t>(text_[at_] - '0');
      if (number > std::numeric_limits<std::int32_t>::max())
        fail(line, "has an entity with too large a number");
    }
    if (at_ == first) fail(line, "has a # without the number of an entity");
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '=') {
      if (before_ != '(' && before_ != ',')
        fail(line, fmt::format("a comma or parenthesis is missing before #{}", number));
      references_.push_back({number, kind_, n_references_++, line});
      before_ = '0';
      return;
    }
    kind_ = read_kind(), n_references_ = 0;
    if (const auto [other, is_new] = entities_.emplace(number, Entity{kind_, line}); !is_new)
      fail(line, fmt::format("has the entity #{} of line {} again", number, other->second.line));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
  char before_ = ';';      ///< the last character that is no blank, outside of texts; '0' behind a reference
  std::string_view kind_;  ///< of the entity that is read
  int n_references_ = 0;   ///< of it, so far
  std::unordered_set<std::string_view> kinds_;  ///< whose spelling was checked
  std::unordered_map<std::uint64_t, Entity> entities_;
  std::vector<Reference> references_;
};

}  // namespace

bool is_step(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  return extension == ".step" || extension == ".stp";
}

void check_step(std::string_view text, const std::string& file) {
  StepScanner(text, file).check();
}

}  // namespace kurbel
