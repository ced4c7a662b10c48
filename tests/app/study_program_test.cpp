/// `kurbel study`: variants of a problem as runs of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/study_file.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudyProgram : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& text) const {
    const std::string problem = std::filesystem::absolute(test::input("five_bar.toml")).string();
    write_text_file(at("study.toml"), "problem = \"" + problem + "\"\n" + text);
    return at("study.toml");
  }
  std::string message_of(const std::string& text) const {
    try {
      read_study_file(write(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> lines;
    const std::string text = read_text_file(at(file));
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1)
      lines.push_back(text.substr(from, text.find('\n', from) - from));
    return lines;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(StudyProgram, SamplesGridsListsAndHypercubes) {
  const std::string values = "[study]\n\"a.x\" = [1, 2]\n\"b.y\" = [\"5 mm\", 0.5]\n";
  EXPECT_THAT(read_study_file(write(values)).samples,
              ElementsAre(ElementsAre("1", "\"5 mm\""), ElementsAre("1", "0.5"), ElementsAre("2", "\"5 mm\""),
                          ElementsAre("2", "0.5")));
  EXPECT_THAT(read_study_file(write("sampling = \"list\"\n" + values)).samples,
              ElementsAre(ElementsAre("1", "\"5 mm\""), ElementsAre("2", "0.5")));

  const std::string cube =
      "sampling = \"latin-hypercube\"\nsamples = 10\n[study]\n\"a.x\" = [0, 10]\n\"b.y\" = [-1, 1]\n";
  const StudyFile study = read_study_file(write(cube));
  for (std::size_t key = 0; key < 2; ++key) {
    std::vector<int> parts;
    for (const auto& sample : study.samples) {
      const double value = std::stod(sample[key]);
      parts.push_back(static_cast<int>(key == 0 ? value : 5.0 * (value + 1.0)));
    }
    std::ranges::sort(parts);
    EXPECT_THAT(parts, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) << "one sample in each tenth";
  }
  EXPECT_EQ(read_study_file(write(cube)).samples, study.samples);
  EXPECT_NE(read_study_file(write("seed = 2\n" + cube)).samples, study.samples);
}

TEST_F(StudyProgram, SamplesHypercubesInUnits) {
  const std::string head = "sampling = \"latin-hypercube\"\nsamples = 4\n[study]\n";
  for (const auto& sample : read_study_file(write(head + "\"a.x\" = [\"5 mm\", \"9 mm\"]\n")).samples) {
    EXPECT_THAT(sample[0], ::testing::EndsWith(" mm\""));
    const double value = std::stod(sample[0].substr(1));
    EXPECT_TRUE(value >= 5.0 && value <= 9.0) << value;
  }
  EXPECT_THAT(message_of(head + "\"a.x\" = [\"5 mm\", \"9 cm\"]\n"),
              HasSubstr("study.\"a.x\" has to have both bounds in the same unit"));
  EXPECT_THAT(message_of(head + "\"a.x\" = [\"5 mm\", \"mm\"]\n"), HasSubstr("two numbers"));
}

TEST_F(StudyProgram, RefusesWhatIsNoStudy) {
  EXPECT_THAT(message_of(""), HasSubstr("study is missing"));
  EXPECT_THAT(message_of("[studdy]\n"), HasSubstr("did you mean study?"));
  EXPECT_THAT(message_of("[study]\n\"a.x\" = 3\n"),
              HasSubstr("study.toml:3: study.\"a.x\" has to be a list"));
  EXPECT_THAT(message_of("command = \"check\"\n"),
              HasSubstr("command has to be one of \"optimize\", \"simulate\""));
  EXPECT_THAT(message_of("sampling = \"list\"\n[study]\n\"a\" = [1]\n\"b\" = [1, 2]\n"),
              HasSubstr("has 2 values"));
  EXPECT_THAT(message_of("sampling = \"latin-hypercube\"\nsamples = 3\n[study]\n\"a\" = [2, 1]\n"),
              HasSubstr("the lower and the upper bound of the samples: two numbers"));
  const Outcome o = run("study " + write("[study]\n\"a\" = [1]\n") + " --array 3/2");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("1 <= K <= N"));
}

TEST_F(StudyProgram, RunsVariantsKeepsThemAndGoesOnAfterFailures) {
  const std::string file = write(
      "command = \"simulate\"\n[study]\n\"integrator.step\" = [2e-3, 1e-3, -1.0]\n\"integrator.t1\" = "
      "[0.1]\n");
  Outcome o = run("study " + file + " --jobs 2 --array 1/2 --output " + at("out"));
  EXPECT_EQ(o.exit_code, 3) << "the third variant has a negative step";
  EXPECT_THAT(o.text, HasSubstr("1 of 3 variants are done"));
  std::vector<std::string> table = lines("out/study.csv");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_THAT(table[2], HasSubstr("not run"));
  EXPECT_THAT(table[3], HasSubstr("integrator.step"));

  o = run("study " + file + " --output " + at("out"));
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_THAT(o.text, ::testing::Not(HasSubstr("step=0.002"))) << "it is done";
  EXPECT_THAT(o.text, HasSubstr("2 of 3 variants are done"));
  table = lines("out/study.csv");
  EXPECT_THAT(table[2], HasSubstr(",0.001,0.1,done,"));
  const std::string variant = table[2].substr(0, table[2].find(','));
  const nlohmann::json numbers = nlohmann::json::parse(read_text_file(at("out/" + variant + ".json")));
  ASSERT_EQ(run("simulate " + test::input("five_bar.toml") +
                " --set integrator.t1=0.1 --set integrator.step=1e-3 --quiet --output " + at("alone") +
                " --json " + at("alone.json"))
                .exit_code,
            0);
  EXPECT_EQ(numbers["psi"], nlohmann::json::parse(read_text_file(at("alone.json")))["psi"]);
  EXPECT_THAT(read_text_file(at("out/study.html")), HasSubstr("<canvas id=\"chart\">"));
  EXPECT_THAT(read_text_file(at("out/study.svg")), HasSubstr("<title>" + variant + ": "));
}

TEST_F(StudyProgram, EndsAsAWrongInputDoesIfNoVariantIsUsable) {
  const std::string file = write(
      "command = \"simulate\"\n[study]\n\"integrator.step\" = [-1.0, 2e-3, -2.0]\n\"integrator.t1\" = "
      "[0.1]\n");
  EXPECT_EQ(run("study " + file + " --array 1/2 --output " + at("out")).exit_code, 2);
  EXPECT_EQ(run("study " + file + " --output " + at("out")).exit_code, 3) << "one of three is usable";
}

TEST_F(StudyProgram, RunsAnewWhatHasChanged) {
  const std::string problem = at("problem.toml");
  const auto write_problem = [&](const char* more) {
    write_text_file(
        problem,
        "include = \"" + std::filesystem::absolute(test::input("five_bar.toml")).string() + "\"\n" + more);
  };
  write_problem("");
  write_text_file(at("s.toml"),
                  "problem = \"problem.toml\"\n[study]\n\"integrator.t1\" = "
                  "[0.05]\n\"optimizer.stop.iterations\" = [2]\n");
  Outcome o = run("study " + at("s.toml") + " --output " + at("out"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(lines("out/study.csv")[1], HasSubstr(",0.05,2,"));
  const std::string before = lines("out/study.csv")[1];
  write_problem("gravity = [0.0, -5.0, 0.0]\n");
  o = run("study " + at("s.toml") + " --output " + at("out"));
  EXPECT_THAT(o.text, HasSubstr("psi = ")) << "another problem is another variant";
  EXPECT_NE(lines("out/study.csv")[1], before);

  std::filesystem::create_directory(at("theirs"));
  write_text_file(at("theirs/study.csv"), "theirs");
  o = run("study " + at("s.toml") + " --output " + at("theirs"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(read_text_file(at("theirs/study.csv")), "theirs");
}

}  // namespace
}  // namespace kurbel
