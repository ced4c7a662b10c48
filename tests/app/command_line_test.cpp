#include "app/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<CommandLine> parse(std::vector<const char*> arguments, std::ostream& out) {
  arguments.insert(arguments.begin(), "kurbel");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), out);
}

CommandLine parse(const std::vector<const char*>& arguments) {
  std::ostringstream out;
  const auto line = parse(arguments, out);
  EXPECT_TRUE(line.has_value()) << out.str();
  return line.value_or(CommandLine{});
}

std::string printed(const std::vector<const char*>& arguments) {
  std::ostringstream out;
  EXPECT_FALSE(parse(arguments, out).has_value());
  return out.str();
}

std::string error_of(const std::vector<const char*>& arguments) {
  std::ostringstream out;
  return input_error_message([&] { parse(arguments, out); });
}

TEST(CommandLine, CutsWhenItSimulates) {
  EXPECT_TRUE(parse({"simulate", "a.toml", "--cut"}).cut);
  EXPECT_FALSE(parse({"simulate", "a.toml"}).cut);
  EXPECT_THAT(error_of({"gradient", "a.toml", "--cut"}), HasSubstr("unknown option --cut"));
}

TEST(CommandLine, EveryCommandTakesItsFile) {
  EXPECT_EQ(parse({"optimize", "a.toml"}).command, Command::optimize);
  EXPECT_EQ(parse({"gradient", "a.toml"}).command, Command::gradient);
  EXPECT_EQ(parse({"simulate", "a.toml"}).command, Command::simulate);
  EXPECT_EQ(parse({"reduce", "a.toml"}).command, Command::reduce);
  EXPECT_EQ(parse({"check", "a.toml", "--set", "a=1"}).command, Command::check);
  EXPECT_EQ(parse({"converge", "a.toml", "--mesh", "1.5,2"}).mesh_factors, (std::vector{1.5, 2.0}));
  EXPECT_EQ(parse({"optimize", "--finer", "a"}).finer, "a");
  EXPECT_EQ(parse({"examples"}).command, Command::examples);
  EXPECT_EQ(parse({"new", "four_bar", "mine.toml"}).file, "four_bar");
  EXPECT_EQ(parse({"new", "four_bar", "mine.toml"}).output, "mine.toml");
  EXPECT_EQ(parse({"schema"}).command, Command::schema);
  EXPECT_TRUE(parse({"schema", "--markdown"}).markdown);
  const CommandLine info = parse({"info", "a.h5"});
  EXPECT_EQ(info.command, Command::info);
  EXPECT_EQ(info.file, "a.h5");
}

TEST(CommandLine, ReduceTakesTheFormOfItsFiles) {
  EXPECT_EQ(parse({"reduce", "a.toml"}).format, SidFormat::hdf5);
  EXPECT_EQ(parse({"reduce", "a.toml", "--format", "text"}).format, SidFormat::text);
  EXPECT_EQ(parse({"reduce", "a.toml", "--format", "both"}).format, SidFormat::both);
  EXPECT_THAT(error_of({"reduce", "a.toml", "--format", "xml"}), HasSubstr("--format"));
}

TEST(CommandLine, ReduceTakesDerivatives) {
  EXPECT_FALSE(parse({"reduce", "a.toml"}).derivatives);
  const CommandLine line = parse({"reduce", "a.toml", "--derivatives", "--coefficients", "J.M1,Ke", "--by",
                                  "bearing,17", "--drop-below", "1e-3"});
  EXPECT_TRUE(line.derivatives);
  EXPECT_THAT(line.coefficients, ElementsAre("J.M1", "Ke"));
  EXPECT_THAT(line.by, ElementsAre("bearing", "17"));
  EXPECT_EQ(line.drop_below, 1e-3);
  EXPECT_THAT(error_of({"reduce", "a.toml", "--drop-below", "1e-3"}), HasSubstr("--derivatives"));
  EXPECT_THAT(error_of({"reduce", "a.toml", "--derivatives", "--drop-below", "-1"}),
              HasSubstr("--drop-below"));
  EXPECT_THAT(error_of({"reduce", "a.toml", "--derivatives", "--format", "text"}), HasSubstr("sid.h5"));
}

TEST(CommandLine, WhatIsLeftOutHasItsDefault) {
  const CommandLine line = parse({"optimize", "a.toml"});
  EXPECT_EQ(line.file, "a.toml");
  EXPECT_TRUE(line.output.empty());
  EXPECT_TRUE(line.overrides.empty());
  EXPECT_TRUE(line.density.empty());
  EXPECT_TRUE(line.json.empty());
  EXPECT_TRUE(line.resume.empty());
  EXPECT_EQ(line.threads, 0);
  EXPECT_FALSE(line.quiet);
}

TEST(CommandLine, OptionsMayStandAnywhere) {
  const CommandLine line = parse({"simulate", "--output", "out", "--threads", "2", "a.toml", "--density",
                                  "d.vtu", "--json", "n.json", "--quiet"});
  EXPECT_EQ(line.file, "a.toml");
  EXPECT_EQ(line.output, "out");
  EXPECT_EQ(line.threads, 2);
  EXPECT_EQ(line.density, "d.vtu");
  EXPECT_EQ(line.json, "n.json");
  EXPECT_TRUE(line.quiet);
}

TEST(CommandLine, SetIsRepeatableAndLeavesTheFileAlone) {
  const CommandLine line = parse({"optimize", "--set", "a.b=1", "a.toml", "--set", "gravity=[0, 0, -9.81]",
                                  "--set=c={d = \"e f\"}", "--set", "title=two words, one comma"});
  EXPECT_EQ(line.file, "a.toml");
  EXPECT_THAT(line.overrides,
              ElementsAre("a.b=1", "gravity=[0, 0, -9.81]", "c={d = \"e f\"}", "title=two words, one comma"));
}

TEST(CommandLine, GradientCheckHasItsOptions) {
  const CommandLine line =
      parse({"gradient", "a.toml", "--check", "7", "--tolerance", "1e-4", "--seed", "3"});
  EXPECT_EQ(line.check, 7);
  EXPECT_EQ(line.tolerance, 1e-4);
  EXPECT_EQ(line.seed, 3u);
  EXPECT_EQ(parse({"gradient", "a.toml"}).check, 0);
}

TEST(CommandLine, ResumeNeedsNoFile) {
  const CommandLine line =
      parse({"optimize", "--resume", "outputs/a", "--set", "optimizer.stop.iterations=400"});
  EXPECT_TRUE(line.file.empty());
  EXPECT_EQ(line.resume, "outputs/a");
  EXPECT_THAT(line.overrides, ElementsAre("optimizer.stop.iterations=400"));
}

TEST(CommandLine, HelpAndVersionPrintAndEnd) {
  EXPECT_THAT(printed({"--version"}), testing::MatchesRegex("kurbel [0-9.]+\n"));
  const std::string help = printed({"--help"});
  for (const char* word : {"optimize", "gradient", "simulate", "reduce", "info", "Exit codes", "Examples",
                           "128 + N  the signal N"}) {
    EXPECT_THAT(help, HasSubstr(word));
  }
  const std::string optimize_help = printed({"optimize", "--help"});
  for (const char* word : {"--output", "--set", "--density", "--threads", "--quiet", "--json", "--resume",
                           "density.pvd", "history.csv"}) {
    EXPECT_THAT(optimize_help, HasSubstr(word));
  }
  EXPECT_THAT(printed({"gradient", "--help"}), HasSubstr("--check"));
}

// An option has the same name in all commands for which it means something.
TEST(CommandLine, OptionsOfManyCommandsHaveOneName) {
  const std::vector<const char*> writing = {"optimize", "gradient", "simulate", "reduce",   "export",
                                            "verify",   "report",   "study",    "converge", "import"};
  const std::vector<const char*> computing = {"optimize", "gradient", "simulate", "reduce",   "export",
                                              "verify",   "report",   "study",    "converge", "check"};
  for (const char* command : writing) {
    EXPECT_EQ(parse({command, "x", "-q", "-o", "y"}).output, "y") << command;
    EXPECT_TRUE(parse({command, "x", "--quiet"}).quiet) << command;
  }
  EXPECT_TRUE(parse({"new", "x", "-q"}).quiet);
  EXPECT_EQ(parse({"new", "x", "y"}).output, "y");
  EXPECT_EQ(parse({"new", "x", "-o", "y"}).output, "y");
  for (const char* command : computing)
    EXPECT_EQ(parse({command, "x", "--threads", "2"}).threads, 2) << command;
}

TEST(CommandLine, MistakesGetOneLine) {
  EXPECT_EQ(error_of({"optimise", "a.toml"}),
            "kurbel: unknown command optimise; did you mean optimize? (see kurbel --help)");
  EXPECT_EQ(error_of({"simulate", "a.toml", "--ouput", "x"}),
            "kurbel simulate: unknown option --ouput; did you mean --output? (see kurbel simulate --help)");
  EXPECT_EQ(error_of({"simulate", "a.toml", "b.toml"}),
            "kurbel simulate: \"b.toml\" is one argument too many (see kurbel simulate --help)");
  EXPECT_EQ(error_of({"optimize"}),
            "kurbel optimize: FILE is missing; give a problem file, or --resume DIR, --shape DIR or --finer "
            "DIR (see "
            "kurbel optimize --help)");
  EXPECT_EQ(error_of({}), "kurbel: a command is missing (see kurbel --help)");
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{},
        {"simulate"},
        {"info"},
        {"simulate", "a.toml", "--threads", "0"},
        {"simulate", "a.toml", "--threads", "two"},
        {"simulate", "a.toml", "--output"},
        {"simulate", "a.toml", "--resume", "x"},
        {"gradient", "a.toml", "--check", "-1"},
        {"gradient", "a.toml", "--check", "3", "--tolerance", "0"},
        {"gradient", "a.toml", "--seed", "3"}}) {
    const std::string error = error_of(arguments);
    EXPECT_THAT(error, testing::StartsWith("kurbel")) << testing::PrintToString(arguments);
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(CommandLine, NumbersAreRefusedUnlessTheWholeArgumentIsOne) {
  for (const char* number : {"nan", "inf", "1,5", "1e-3x", "0x10", "", "-1"}) {
    const std::string tolerance = error_of({"gradient", "a.toml", "--check", "3", "--tolerance", number});
    EXPECT_THAT(tolerance, testing::StartsWith("kurbel gradient: --tolerance: ")) << number;
    const std::string share = error_of({"reduce", "a.toml", "--derivatives", "--drop-below", number});
    EXPECT_THAT(share, testing::StartsWith("kurbel reduce: --drop-below: ")) << number;
  }
  EXPECT_EQ(error_of({"gradient", "a.toml", "--check", "3", "--tolerance", "nan"}),
            "kurbel gradient: --tolerance: nan must be finite (see kurbel gradient --help)");
}

TEST(CommandLine, EmptyNamesAreRefused) {
  EXPECT_EQ(error_of({"simulate", ""}),
            "kurbel simulate: FILE: is an empty name (see kurbel simulate --help)");
  for (const char* option : {"--output", "--density", "--variables", "--json"})
    EXPECT_THAT(error_of({"optimize", "a.toml", option, ""}), HasSubstr("is an empty name")) << option;
  EXPECT_THAT(error_of({"optimize", "--resume", ""}), HasSubstr("is an empty name"));
  EXPECT_THAT(error_of({"info", ""}), HasSubstr("is an empty name"));
}

TEST(CommandLine, OptionsAreNotTakenForNames) {
  EXPECT_EQ(error_of({"optimize", "a.toml", "--resume", "--set", "title=x"}),
            "kurbel optimize: --resume: --set is an option and no name (see kurbel optimize --help)");
  EXPECT_THAT(error_of({"simulate", "a.toml", "--json", "--output", "b"}),
              HasSubstr("--output is an option"));
}

TEST(CommandLine, ResumeExcludesWhatTheRunAlreadyKnows) {
  EXPECT_THAT(error_of({"optimize", "a.toml", "--resume", "x"}), HasSubstr("leave out FILE"));
  EXPECT_THAT(error_of({"optimize", "--output", "y", "--resume", "x"}), HasSubstr("leave out --output"));
  EXPECT_THAT(error_of({"optimize", "--density", "y", "--resume", "x"}), HasSubstr("leave out --density"));
}

}  // namespace
}  // namespace kurbel
