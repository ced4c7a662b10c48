#include "parts/msh_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <vector>

#include "base/errors.hpp"

namespace kurbel {

namespace {

class MshScanner {
 public:
  MshScanner(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  void check() {
    if (!go_to("$MeshFormat") || !next_line().starts_with("4.1 0")) return;
    if (!go_to("$Nodes")) return;
    for_each_block([&](const std::vector<long long>& block) {
      for (long long i = 0; i < block[3]; ++i) nodes_.insert(numbers(1).front());
      for (long long i = 0; i < block[3]; ++i) filled_line();  // coordinates, which Gmsh checks
    });
    if (!go_to("$Elements")) return;
    for_each_block([&](const std::vector<long long>& block) {
      for (long long i = 0; i < block[3]; ++i) check_element(numbers(2));
    });
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
  }
  std::string_view next_line() {
    if (rest_.empty()) fail("the file is cut off");
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    ++line_;
    return line;
  }
  /// The next line that is not blank.
  std::string_view filled_line() {
    std::string_view line = next_line();
    while (line.find_first_not_of(" \t\r") == line.npos) line = next_line();
    return line;
  }
  bool go_to(std::string_view section) {
    while (!rest_.empty()) {
      if (next_line().starts_with(section)) return true;
    }
    return false;
  }
  /// At least so many integers on the next line that is not blank.
  std::vector<long long> numbers(std::size_t least) {
    const std::string_view line = filled_line();
    std::vector<long long> all;
    const char *at = line.data(), *const end = at + line.size();
    while (at < end) {
      if (*at == ' ' || *at == '\t' || *at == '\r') {
        ++at;
        continue;
      }
      long long value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc()) fail(fmt::format("\"{}\" is no list of whole numbers", line));
      all.push_back(value), at = next;
    }
    if (all.size() < least) fail(fmt::format("\"{}\" has fewer than {} numbers", line, least));
    return all;
  }
  template <class Read>
  void for_each_block(const Read& read) {
    const long long n_blocks = numbers(4).front();
    for (long long i = 0; i < n_blocks; ++i) read(numbers(4));
  }
  void check_element(const std::vector<long long>& element) const {
    for (std::size_t i = 1; i < element.size(); ++i) {
      if (!nodes_.contains(element[i]))
        fail(fmt::format("element {} has the node {}, which does not exist", element[0], element[i]));
    }
  }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 0;
  std::unordered_set<long long> nodes_;
};

}  // namespace

void check_msh(std::string_view text, const std::string& file) {
  MshScanner(text, file).check();
}

}  // namespace kurbel
