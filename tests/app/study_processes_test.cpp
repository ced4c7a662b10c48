/// The processes of `kurbel study`: runs that somebody kills, a study that is killed, and two studies of one folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run_command;
using ::testing::HasSubstr;
using ::testing::Not;

/// The small crank with two limits of iterations; runs that take some seconds.
class StudyProcesses : public ::testing::Test {
 protected:
  StudyProcesses() {
    write("[study]\n\"optimizer.stop.iterations\" = [60, 61]\n\"optimizer.stop.design_change\" = [0]\n");
  }
  void write(const std::string& text) const {
    write_text_file(folder_ / "s.toml",
                    "problem = \"" +
                        std::filesystem::absolute(test::input("flexible_crank_small.toml")).string() +
                        "\"\n" + text);
  }
  /// Runs a script, in which $study is the command, and $runs prints the processes that it has started, if its own is $p.
  Outcome bash(const std::string& script) const {
    const std::string out = (folder_ / "out").string();
    write_text_file(folder_ / "script", "exec 2>&1\nstudy=\"" + std::string(KURBEL_PROGRAM) + " study " +
                                            (folder_ / "s.toml").string() + " --threads 2 --output " + out +
                                            "\"\nout=" + out +
                                            "\nruns() { cat /proc/$p/task/$p/children; }\n"
                                            "begun() { while [ $(ls $out/*/run.h5 2>/dev/null | wc -l) -lt "
                                            "$1 ]; do sleep 0.05; done; }\n" +
                                            script);
    return run_command("timeout 300 bash " + (folder_ / "script").string());
  }
  std::string table() const { return read_text_file(folder_ / "out" / "study.csv"); }

 private:
  TemporaryFolder folder_;
};

TEST_F(StudyProcesses, ThatAreKilledBesideOthersRunAgainAlone) {
  const Outcome o =
      bash("$study --jobs 2 & p=$!; begun 2; set -- $(runs); kill -9 $1; wait $p; echo code $?");
  EXPECT_THAT(o.text, HasSubstr("killed by signal 9"));
  EXPECT_THAT(o.text, HasSubstr("it runs again alone"));
  EXPECT_THAT(o.text, HasSubstr("2 of 2 variants are done"));
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(table(), Not(HasSubstr("killed")));
}

TEST_F(StudyProcesses, ThatAreKilledAloneFailWithTheReasonInTheTable) {
  const Outcome o =
      bash("$study --jobs 1 --array 1/2 & p=$!; begun 1; kill -9 $(runs); wait $p; echo code $?");
  EXPECT_THAT(o.text, HasSubstr("code 3"));
  EXPECT_THAT(o.text, Not(HasSubstr("again")));
  EXPECT_THAT(table(), ::testing::ContainsRegex("killed by .* when it held [0-9]+ MB: give the job more"));
}

TEST_F(StudyProcesses, EndWithTheStudyAndContinueInTheNextOne) {
  const Outcome o = bash(
      "$study --jobs 2 & p=$!; begun 2; r=$(runs); kill -9 $p; wait $p\n"
      "$study; echo code $?\nfor i in $r; do if [ -e /proc/$i ]; then echo orphan $i; fi; done");
  EXPECT_THAT(o.text, HasSubstr("2 of 2 variants are done"));
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(o.text, Not(HasSubstr("orphan")));
}

TEST_F(StudyProcesses, OfAnotherStudyAreAwaited) {
  const Outcome o = bash(
      "$study --jobs 2 >$out.first & p=$!; begun 2\n$study; echo code $?; wait $p; cat $out.first; grep -l "
      "replayed $out/*.log");
  EXPECT_THAT(o.text, Not(HasSubstr(".log")));  // none is run a second time
  EXPECT_THAT(o.text, HasSubstr("a run is at work at it already; its end is awaited"));
  EXPECT_THAT(o.text, HasSubstr("2 of 2 variants are done"));
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(o.text, Not(HasSubstr("error")));
}

// Schedulers without control groups limit the address space of a job, by ulimit -v.
TEST_F(StudyProcesses, ShareALimitOnTheAddressSpace) {
  write(
      "[study]\n\"optimizer.stop.iterations\" = [60, 61, 62, 63]\n\"optimizer.stop.design_change\" = [0]\n");
  const Outcome o = bash(
      "ulimit -v 1600000; $study --jobs 4 & p=$!; begun 1; most=0\n"
      "while [ -e /proc/$p ]; do set -- $(runs); sum=0\n"
      "  for i in $*; do read -r size rest 2>/dev/null </proc/$i/statm && sum=$((sum + 4 * size)); done\n"
      "  if [ $sum -gt $most ]; then most=$sum; fi; sleep 0.1; done; wait $p; echo code $?, $most kB\n"
      "if [ $most -gt 1600000 ]; then echo too much; fi; if [ $most -gt 0 ]; then echo seen; fi");
  EXPECT_THAT(o.text, HasSubstr("memory suffices for "));
  EXPECT_THAT(o.text, HasSubstr("4 of 4 variants are done"));
  EXPECT_THAT(o.text, Not(HasSubstr("too much")));
  EXPECT_THAT(o.text, HasSubstr("seen"));
}

}  // namespace
}  // namespace kurbel
