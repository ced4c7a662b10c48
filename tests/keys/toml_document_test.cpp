#include "keys/toml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "keys/toml_parser.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Files : public testing::Test {
 protected:
  Files() { std::filesystem::create_directories(folder_ / "base"); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  TemporaryFolder folder_;
};

TomlDocument parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return TomlDocument::parse(text, "crank.toml", ".", overrides);
}

std::string error_with_set(const std::string& text, const std::string& change) {
  return input_error_message([&] { parse(text, {change}); });
}

TEST(TomlDocument, KeepsTheOrderOfTheFile) {
  const TomlDocument document = parse("[joints.z]\n[joints.a]\nb = 1\na = 2\n[joints.m]\n");
  EXPECT_EQ(document.root.to_toml(), "{joints = {z = {}, a = {b = 1, a = 2}, m = {}}}");
}

TEST(TomlDocument, KnowsTheLineOfEveryKey) {
  const TomlDocument document = parse("title = \"x\"\n\n[a.b]\nc = [\n  1,\n  {d = 2},\n]\n");
  EXPECT_EQ(document.place_of("title").text(), "crank.toml:1");
  EXPECT_EQ(document.place_of("a.b").text(), "crank.toml:3");
  EXPECT_EQ(document.place_of("a.b.c").text(), "crank.toml:4");
  EXPECT_EQ(document.place_of("a.b.c.0").text(), "crank.toml:5");
  EXPECT_EQ(document.place_of("a.b.c.1.d").text(), "crank.toml:6");
}

TEST(TomlDocument, PlaceOfAMissingKeyIsThatOfTheTableAround) {
  EXPECT_EQ(parse("x = 1\n[a.b]\nc = 1\n").place_of("a.b.d.e").text(), "crank.toml:2");
}

TEST(TomlDocument, MalformedTextIsRefusedWithLineAndColumn) {
  EXPECT_THAT(input_error_message([] { parse("a = 1\nb = [1, 2\nc = 3\n"); }),
              StartsWith("crank.toml:3:1: not valid TOML: "));
  EXPECT_THAT(input_error_message([] { parse("[a]\n[b]\n[a]\n"); }), StartsWith("crank.toml:3:"));
  EXPECT_THAT(input_error_message([] { parse("a = 1\na = 2\n"); }), StartsWith("crank.toml:2:"));
}

TEST(TomlDocument, DatesAreRefused) {
  EXPECT_EQ(input_error_message([] { parse("\nday = 2020-02-02\n"); }),
            "crank.toml:2: dates and times have no meaning in an input file");
}

TEST(TomlDocument, MissingFileIsRefusedByName) {
  EXPECT_EQ(input_error_message([] { TomlDocument::read("no/such.toml"); }),
            "cannot read no/such.toml: No such file or directory");
}

TEST(TomlDocument, OverrideReplacesAValueAndSaysSo) {
  const TomlDocument document = parse("[a]\nb = 1\nc = 2\n", {"a.b = 3.5"});
  EXPECT_EQ(document.root.to_toml(), "{a = {b = 3.5, c = 2}}");
  EXPECT_EQ(document.place_of("a.b").text(), "--set a.b = 3.5");
  EXPECT_EQ(document.place_of("a.c").text(), "crank.toml:3");
}

TEST(TomlDocument, OverrideTakesBareWordsAsText) {
  const TomlDocument document = parse("", {"a=mma", "b=true", "c=designs/last.vtu", "d=\"2\"", "e=[1, 2]"});
  EXPECT_EQ(document.root.to_toml(),
            "{a = \"mma\", b = true, c = \"designs/last.vtu\", d = \"2\", e = [1, 2]}");
}

TEST(TomlDocument, OverrideMakesMissingParents) {
  EXPECT_EQ(parse("", {"a.b.c=1"}).root.to_toml(), "{a = {b = {c = 1}}}");
}

TEST(TomlDocument, OverrideFindsElementsByNumberAndByName) {
  const std::string text = "[[drives]]\nname = \"one\"\nrate = 1\n[[drives]]\nname = \"two\"\nrate = 2\n";
  const TomlDocument document = parse(text, {"drives.0.rate=10", "drives.two.rate=20"});
  EXPECT_EQ(document.root.to_toml(), "{drives = [{name = \"one\", rate = 10}, {name = \"two\", rate = 20}]}");
}

TEST(TomlDocument, LaterOverridesWin) {
  EXPECT_EQ(parse("", {"a=1", "a=2"}).root.to_toml(), "{a = 2}");
}

TEST(TomlDocument, UnusableOverridesAreRefused) {
  EXPECT_EQ(error_with_set("", "a.b"), "--set a.b: write --set key.path=value");
  EXPECT_EQ(error_with_set("", "=3"), "--set =3: write --set key.path=value");
  EXPECT_EQ(error_with_set("", "a="), "--set a=: write --set key.path=value");
  EXPECT_EQ(error_with_set("", "a b=1"),
            "--set a b=1: \"a b\" is not a key; write names between dots, as in bodies.crank.mass");
  EXPECT_THAT(error_with_set("", "a=[1, 2"), StartsWith("--set a=[1, 2: not a valid TOML value: "));
  EXPECT_EQ(error_with_set("a = 1", "a.b=2"), "--set a.b=2: a is a number, not a table");
  EXPECT_EQ(error_with_set("a = [1]", "a.3=2"), "--set a.3=2: a has no element 3");
}

TEST_F(Files, IncludedFilesAreReadFirstAndKeepTheirPlaces) {
  write("base/base.toml", "title = \"base\"\n[a]\nb = 1\nc = [1, 2]\n[t]\nu = 1\n");
  const std::string main =
      write("main.toml", "include = \"base/base.toml\"\ntitle = \"main\"\n[a]\nc = [3]\n");
  const TomlDocument document = TomlDocument::read(main);
  EXPECT_EQ(document.root.to_toml(), "{title = \"main\", a = {b = 1, c = [3]}, t = {u = 1}}");
  EXPECT_EQ(document.place_of("a.b").text(), (folder_ / "base/base.toml").string() + ":3");
  EXPECT_EQ(document.place_of("a.c").text(), main + ":4");
}

TEST_F(Files, TableInBracesReplacesTableUnderHeaderMerges) {
  write("base.toml", "[mesh]\nshape = \"rectangle\"\nthickness = 1.0\n[simp]\nq = 6\ns = 3\n");
  const std::string main =
      write("main.toml", "include = \"base.toml\"\nmesh = { shape = \"box\" }\n[simp]\ns = 4\n");
  EXPECT_EQ(TomlDocument::read(main).root.to_toml(), "{mesh = {shape = \"box\"}, simp = {q = 6, s = 4}}");
}

TEST_F(Files, DottedKeysMergeLikeHeaders) {
  write("base.toml", "[optimizer]\nstop.iterations = 200\nstop.wall_time = 5\n");
  const std::string main = write("main.toml", "include = \"base.toml\"\n[optimizer]\nstop.iterations = 3\n");
  EXPECT_EQ(TomlDocument::read(main).root.to_toml(),
            "{optimizer = {stop = {iterations = 3, wall_time = 5}}}");
}

TEST_F(Files, LaterFilesOfAListWin) {
  write("one.toml", "a = 1\nb = 1\n");
  write("two.toml", "b = 2\nc = 2\n");
  const std::string main = write("main.toml", "include = [\"one.toml\", \"two.toml\"]\nc = 3\n");
  EXPECT_EQ(TomlDocument::read(main).root.to_toml(), "{a = 1, b = 2, c = 3}");
}

TEST_F(Files, CompleteTextReadsBackToTheSameTree) {
  write("base.toml", "x = 0.1\n[a.b]\nc = [1, 2.5, \"q\\\"\"]\n[a.b.d]\ne = {f = true, \"g h\" = 1e300}\n");
  const std::string main = write("main.toml", "include = \"base.toml\"\ny = 2.0\n[a.z]\nw = -inf\n");
  const TomlDocument document = TomlDocument::read(main, {"x=5"});
  const TomlDocument again =
      TomlDocument::parse(document.text, "run.h5", document.directory, document.overrides);
  EXPECT_THAT(document.text, Not(HasSubstr("include")));
  EXPECT_THAT(document.text, HasSubstr("x = 0.1"));
  // The text lists the values of a table before its tables, so the order is compared where it can differ
  // least.
  EXPECT_EQ(again.text, document.text);
  for (const char* key : {"x", "y", "a"}) {
    EXPECT_EQ(again.root.find(key)->to_toml(), document.root.find(key)->to_toml());
  }
}

TEST_F(Files, TextWithoutIncludesIsKeptAsWritten) {
  const std::string text = "# a comment\n[a]\nb   = 1\n";
  EXPECT_EQ(TomlDocument::read(write("main.toml", text), {"a.b=2"}).text, text);
}

TEST_F(Files, MissingIncludeIsRefusedWhereItIsMentioned) {
  const std::string main = write("main.toml", "title = \"x\"\ninclude = \"none.toml\"\n");
  EXPECT_EQ(
      input_error_message([&] { TomlDocument::read(main); }),
      main + ":2: include: cannot read " + (folder_ / "none.toml").string() + ": No such file or directory");
}

TEST_F(Files, CircularIncludeIsRefused) {
  const std::string one = write("one.toml", "include = \"two.toml\"\n");
  write("two.toml", "\ninclude = \"one.toml\"\n");
  EXPECT_EQ(
      input_error_message([&] { TomlDocument::read(one); }),
      (folder_ / "two.toml").string() + ":2: include = \"one.toml\" leads back to a file that is being read");
}

TEST_F(Files, IncludeOfAnotherTypeIsRefused) {
  const std::string main = write("main.toml", "include = 3\n");
  EXPECT_EQ(input_error_message([&] { TomlDocument::read(main); }),
            main + ":1: include must be a file name or a list of file names");
}

TEST(TomlDocument, OverridesOfSeveralLinesAreRefused) {
  EXPECT_EQ(error_with_set("", "a.b=1\nc=2"),
            "--set a.b=1\\nc=2: has more lines than one value; give each key a --set of its own");
  EXPECT_EQ(error_with_set("", "a\nb=1"), "--set a\\nb=1: write --set key.path=value");
  EXPECT_EQ(parse("", {"a=[1,\n2]"}).root.to_toml(), "{a = [1, 2]}");
}

TEST(TomlDocument, OverrideByTextKeepsEveryCharacter) {
  const std::string text = "a \"quoted\" C:\\folder\nand more";
  const TomlDocument document = parse("", {text_override("design.start", text)});
  EXPECT_EQ(std::get<std::string>(document.root.find("design")->find("start")->data), text);
}

TEST(TomlDocument, ControlCharactersOfAKeyStayOnTheLine) {
  EXPECT_EQ(parse("\"a\\nb\" = 1\n").error("a\nb", "is bad").what(),
            std::string("crank.toml:1: a\\nb is bad"));
}

std::string repeated(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(TomlDocument, DeepNestingIsRefusedWithItsLine) {
  constexpr int deep = 20000;
  const std::string key = "a" + repeated(".a", deep), quoted = "'a'" + repeated(" . \"a\"", deep);
  for (const std::string& text :
       {"x = 1\n" + key + " = 1\n", "x = 1\n[" + key + "]\n", "x = 1\n[[" + quoted + "]]\n",
        "x = 1\nb = [\"\"\"a\"\"\"\"\", {" + key + " = 1}]\n",
        "x = '''\n''' # \"\nb = {" + quoted + " = 1}\n"}) {
    EXPECT_THAT(input_error_message([&] { parse(text); }),
                testing::ContainsRegex("^crank.toml:[23]: a key has more than 20 parts between dots$"))
        << text.substr(0, 40);
  }
  EXPECT_THAT(error_with_set("", key + "=1"), HasSubstr("a key has more than 20 parts"));
  EXPECT_THAT(input_error_message([&] { parse("x = 1\ny = " + repeated("[", deep) + repeated("]", deep)); }),
              StartsWith("crank.toml:2:"));
  const std::string braces = "x = 1\ny = " + repeated("{a.b.c = ", 50) + "1" + repeated("}", 50);
  EXPECT_EQ(input_error_message([&] { parse(braces); }),
            "crank.toml:2: tables and lists are nested more than 100 deep");
}

TEST(TomlDocument, DotsInStringsNumbersAndCommentsAreNoNesting) {
  const std::string dots = repeated(".", 100);
  EXPECT_NO_THROW(parse("a = \"" + dots + "\" # " + dots + "\nb = [" + repeated("1.5, ", 100) +
                        "]\nc = '''\n" + dots + "'''\nd = \"\\\"" + dots + "\"\n"));
}

TEST_F(Files, IncludesThatMultiplyAreRefused) {
  const int n = 20;
  for (int i = 0; i < n; ++i) {
    const std::string next = "\"f" + std::to_string(i + 1) + ".toml\"";
    write("f" + std::to_string(i) + ".toml", "include = [" + next + ", " + next + "]\n");
  }
  write("f" + std::to_string(n) + ".toml", "a = 1\n");
  EXPECT_THAT(input_error_message([&] { TomlDocument::read((folder_ / "f0.toml").string()); }),
              HasSubstr("include: more than 1000 files"));
}

TEST_F(Files, NamesTooLongForTheSystemAreRefusedAtTheirKey) {
  const std::string name(300, 'x');
  const std::string file = write("a.toml", "b = 1\ninclude = \"" + name + "\"\n");
  EXPECT_THAT(input_error_message([&] { TomlDocument::read(file); }),
              testing::AllOf(HasSubstr("a.toml:2: include: cannot read"), HasSubstr("File name too long")));
  EXPECT_THAT(input_error_message([&] { TomlDocument::read(name); }), HasSubstr("File name too long"));
}

}  // namespace
}  // namespace kurbel
