/// @file
/// Tables from which words, keys and checks follow: each member of an enumeration has one row, and each word of a row stands
/// among the allowed words of its key and is explained on a page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "fem/element_kind.hpp"
#include "integration/integrator_options.hpp"
#include "mechanism/criterion_spec.hpp"
#include "mechanism/system_spec.hpp"
#include "optimizers/optimizer.hpp"
#include "problem/formulation.hpp"
#include "problem/key_reference.hpp"
#include "tests/enumerators.hpp"

namespace kurbel {
namespace {

/// True if the word stands in the text, and not as a part of a longer one.
bool has_word(const std::string& text, const std::string& word) {
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '-');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// The text of the reference page about a key of a table: its meaning, and the words that it may have.
struct ReferenceRow {
  std::string meaning, allowed;
};

ReferenceRow reference_row(const std::string& heading, const std::string& key) {
  const std::string page = key_reference();
  const std::size_t section = page.find("\n## " + heading + "\n");
  const std::size_t begin = page.find("\n| `" + key + "` | word", section);
  if (section == std::string::npos || begin == std::string::npos) {
    ADD_FAILURE() << "there is no " << heading << " " << key;
    return {};
  }
  const std::string row = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
  const std::size_t allowed = row.find("<br>Allowed: ");
  return {row.substr(0, allowed), allowed == std::string::npos ? "" : row.substr(allowed)};
}

std::string page(const std::string& name) {
  return read_text_file(std::string(KURBEL_SOURCE_DIR "/docs/") + name);
}

void expect_in_reference(const std::vector<std::string>& words, const ReferenceRow& row) {
  for (const std::string& word : words) {
    EXPECT_TRUE(has_word(row.allowed, word)) << word << " is not allowed in the schema";
    EXPECT_TRUE(has_word(row.meaning, word)) << word << " is not explained";
  }
}

/// Words of the rows of a table, each of which has another member of the enumeration, and all together have all of them.
template <class Enum, class Rows, class Member, class Word>
std::vector<std::string> words_of_complete(const Rows& rows, Member member, Word word) {
  std::vector<Enum> members;
  std::vector<std::string> words;
  for (const auto& row : rows) {
    members.push_back(row.*member);
    words.emplace_back(row.*word);
  }
  std::ranges::sort(members);
  EXPECT_EQ(members, test::enumerators<Enum>());
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size()) << "a word stands twice";
  return words;
}

enum class Sample { first, second, last = 5 };

TEST(Enumerators, AreThoseThatHaveNames) {
  EXPECT_EQ(test::enumerators<Sample>(), (std::vector{Sample::first, Sample::second, Sample::last}));
}

TEST(TraitTables, HaveEveryFormulation) {
  const auto words = words_of_complete<Formulation>(formulation_table, &FormulationTraits::formulation,
                                                    &FormulationTraits::word);
  expect_in_reference(words, reference_row("The file itself", "formulation"));
}

TEST(TraitTables, HaveEveryKindOfSteps) {
  const auto words = words_of_complete<IntegratorMethod>(integrator_table, &IntegratorTraits::method,
                                                         &IntegratorTraits::word);
  expect_in_reference(words, reference_row("`[integrator]`", "method"));
}

TEST(TraitTables, HaveEveryQuantity) {
  const auto words =
      words_of_complete<Quantity>(observable_table(), &ObservableTraits::quantity, &ObservableTraits::word);
  const std::string allowed = reference_row("`[objective]`", "type").allowed, theory = page("theory.md");
  for (const std::string& word : words) {
    EXPECT_TRUE(has_word(allowed, word)) << word << " is not allowed in the schema";
    EXPECT_NE(theory.find("`" + word + "`"), std::string::npos) << word << " is not defined in theory.md";
  }
  for (const ObservableTraits& traits : observable_table()) EXPECT_STRNE(traits.unit, nullptr) << traits.word;
}

TEST(TraitTables, HaveEveryKindOfElements) {
  const auto words = words_of_complete<fem::ElementKind>(fem::element_kinds(), &fem::ElementTopology::kind,
                                                         &fem::ElementTopology::name);
  EXPECT_EQ(words.size(), fem::n_element_kinds);
  const std::string parts = page("own_parts.md");
  for (const std::string& word : words)
    EXPECT_TRUE(has_word(parts, word)) << word << " is not in own_parts.md";
}

TEST(TraitTables, ExplainEveryJointType) {
  std::vector<std::string> words = {rod_type};
  for (const JointType& type : joint_types()) {
    words.push_back(type.name);
    EXPECT_TRUE(std::ranges::count(type.locked, true) > 0) << type.name << " locks nothing";
  }
  expect_in_reference(words, reference_row("`[joints.*]`", "type"));
  const std::string parts = page("input_file.md");
  for (const std::string& word : words)
    EXPECT_NE(parts.find("`" + word + "`"), std::string::npos) << word << " is not in input_file.md";
}

TEST(TraitTables, ExplainEveryOptimizer) {
  expect_in_reference(optimizer_methods, reference_row("`[optimizer]`", "method"));
}

}  // namespace
}  // namespace kurbel
