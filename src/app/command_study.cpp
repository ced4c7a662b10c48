/// @file
/// `kurbel study`: variants of a problem, side by side, each a run of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/memory_of_runs.hpp"
#include "app/run_process.hpp"
#include "app/study_file.hpp"
#include "app/study_folder.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "fem/processes.hpp"
#include "output/console.hpp"
#include "problem/checks.hpp"
#include "problem/problem.hpp"

namespace kurbel {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A variant that runs.
struct Child {
  std::size_t variant;
  RunProcess process;
  double estimated_memory;   ///< bytes
  bool has_company = false;  ///< others have run at the same time
};

class StudyRun {
 public:
  StudyRun(const CommandLine& args, StudyFile file)
      : args_(args), share_(share_of_study(args.array)), folder_(folder_of(args), std::move(file)) {}
  StudyRun(const StudyRun&) = delete;
  StudyRun& operator=(const StudyRun&) = delete;
  ~StudyRun() { stop_all(SIGTERM); }

  int run() {
    std::signal(SIGCHLD, SIG_DFL);  // where it is ignored nobody can be waited for
    const InterruptGuard guard;
    waiting_ = open_variants();
    jobs_ = std::clamp<std::size_t>(
        args_.jobs > 0 ? static_cast<std::size_t>(args_.jobs) : static_cast<std::size_t>(kurbel::threads()),
        1, std::max<std::size_t>(1, waiting_.size()));
    while (!running_.empty() || (has_more() && !guard.flag())) {
      if (!guard.flag()) start_what_fits();
      if (guard.flag()) stop_all(guard.signal_for_others());
      collect();
    }
    folder_.write_table();
    say_end();
    if (guard.flag()) return 3;
    const bool is_all_unusable = n_unusable_ > 0 && n_unusable_ == share_.n_of(folder_.n_variants());
    return is_all_unusable ? 2 : n_failed_ > 0 ? 3 : 0;
  }

 private:
  static fs::path folder_of(const CommandLine& args) {
    return args.output.empty() ? fs::path("outputs") / fs::path(args.file).stem() : args.output;
  }

  /// Those of the share that are not done.
  std::deque<std::size_t> open_variants() const {
    std::deque<std::size_t> open;
    for (std::size_t i = share_.k - 1; i < folder_.n_variants(); i += share_.n) {
      if (!folder_.is_done(i)) open.push_back(i);
    }
    return open;
  }

  bool has_more() const { return !waiting_.empty() || !alone_.empty(); }

  /// Starts each waiting variant for which there are a processor and memory, and one that has to be alone when no other is left.
  /// One at which another study is at work waits for its end.
  void start_what_fits() {
    for (std::size_t n = waiting_.size();
         n > 0 && running_.size() < jobs_ && has_memory_for(waiting_.front()); --n) {
      const std::size_t i = waiting_.front();
      waiting_.pop_front();
      if (!start(i, jobs_)) waiting_.push_back(i);
    }
    if (!running_.empty() || !waiting_.empty() || alone_.empty()) return;
    if (start(alone_.front(), 1)) alone_.pop_front();
  }

  /// A single run always starts; it reports itself if memory does not suffice. A limit on the address space counts for all
  /// runs together: schedulers without control groups limit a job in this way.
  bool has_memory_for(std::size_t i) {
    if (running_.empty()) return true;
    std::vector<RunningMemory> resident, address_space;
    const double of_program =
        memory_of_process(::getpid()).address_space + address_space_of_blas(threads_of_run(jobs_));
    double left = available_address_space();
    for (const Child& child : running_) {
      const ProcessMemory held = child.process.memory();
      resident.push_back({child.estimated_memory, held.resident});
      address_space.push_back({child.estimated_memory + of_program, held.address_space});
      left -= held.address_space;
    }
    const double estimate = estimated_memory(i);
    const bool fits = fits_beside(resident, estimate, excess_, available_memory_of_processes()) &&
                      fits_beside(address_space, estimate + of_program, excess_, left);
    if (!fits && !std::exchange(has_waited_, true))
      console_report(args_).line(fmt::format(
          "memory suffices for {} runs at present; further variants wait until one ends", running_.size()));
    return fits;
  }

  /// Bytes; 0 for an input that cannot be read, which its run reports, and infinite for one that is too large at present.
  double estimated_memory(std::size_t i) {
    if (const auto known = estimates_.find(i); known != estimates_.end()) return known->second;
    double bytes = 0.0;
    try {
      bytes = memory_of_run(read_problem(folder_.study().problem.string(), folder_.overrides(i))).usual;
    } catch (const TooLarge&) {
      bytes = std::numeric_limits<double>::infinity();
    } catch (const std::exception&) {
    }
    estimates_[i] = bytes;
    return bytes;
  }

  static int threads_of_run(std::size_t jobs) {
    return std::max(1, kurbel::threads() / static_cast<int>(jobs));
  }

  /// Returns false if another study is at work at the variant.
  bool start(std::size_t i, std::size_t jobs) {
    const fs::path folder = folder_.file(i, "");
    std::vector<std::string> words = {"kurbel", folder_.study().command};
    if (folder_.study().command == "optimize" && fs::exists(folder / "run.h5")) {
      words.insert(words.end(), {"--resume", folder.string()});
    } else {
      words.insert(words.end(), {folder_.study().problem.string(), "--output", folder.string()});
      for (const std::string& text : folder_.overrides(i)) words.insert(words.end(), {"--set", text});
    }
    words.insert(words.end(), {"--json", folder_.file(i, ".part.json").string(), "--threads",
                               std::to_string(threads_of_run(jobs))});
    if (elsewhere_.contains(i) && folder_.is_done(i)) return true;
    std::optional<RunProcess> process = RunProcess::start(words, folder_.file(i, ".log"));
    if (!process) {
      if (elsewhere_.insert(i).second)
        console_report(args_).line(
            fmt::format("{}: a run is at work at it already; its end is awaited", folder_.name(i)));
      return false;
    }
    if (running_.empty()) estimates_.clear();  // it may have been too large beside others
    running_.push_back({i, std::move(*process), jobs > 1 ? estimated_memory(i) : 0.0});
    for (Child& child : running_) child.has_company = child.has_company || running_.size() > 1;
    return true;
  }

  /// Asks the runs to finish their evaluation and end, once.
  void stop_all(int signal) {
    if (std::exchange(is_stopped_, true)) return;
    for (Child& child : running_) child.process.ask_to_end(signal);
  }

  /// Waits a moment, and takes what the runs that have ended left.
  void collect() {
    constexpr auto moment = std::chrono::milliseconds(50);
    std::this_thread::sleep_for(moment);
    for (std::size_t c = 0; c < running_.size();) {
      const std::optional<ProcessEnd> end = running_[c].process.take_end();
      if (!end) {
        ++c;
        continue;
      }
      const Child ended = std::move(running_[c]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(c));
      finish(ended, *end);
      constexpr auto interval = std::chrono::seconds(5);
      if (const auto now = Clock::now(); now - last_table_ > interval) {
        last_table_ = now;
        folder_.write_table();
      }
    }
  }

  void finish(const Child& ended, const ProcessEnd& end) {
    const std::size_t i = ended.variant;
    estimates_.clear();  // less memory is held now
    json numbers = folder_.numbers(i, ".part.json");
    if (numbers.is_null()) numbers = json::object();
    if (ended.estimated_memory > 0.0) excess_ = std::max(excess_, end.peak_memory / ended.estimated_memory);
    std::string text = fmt::format("{}: {}", folder_.name(i), fmt::join(folder_.overrides(i), ", "));
    const bool is_interrupted = text_or(numbers, "status", "") == "interrupted";
    const bool is_done = end.is_exit(0) && !is_interrupted;
    if (is_done) {
      if (const auto psi = number_in(numbers, "psi")) text += fmt::format("; psi = {:.6g}", *psi);
      if (const std::string verdict = text_or(numbers, "status", ""); !verdict.empty())
        text += "; " + verdict;
      folder_.keep(i, std::move(numbers));
    } else {
      const std::string by_signal = end.signal_in_words();
      const std::string error = by_signal.empty() ? folder_.last_error(i) : by_signal;
      folder_.keep_failure(i, error);
      text += "; " + error;
      // Beside others, a run may be ended because of their memory. It goes on from its last iteration.
      const bool is_tried_again =
          end.is_kill() && ended.has_company && !is_stopped_ && killed_.insert(i).second;
      if (is_tried_again) {
        alone_.push_back(i);
        text += "; it runs again alone, after the others";
      } else {
        ++n_failed_;
        constexpr int unusable_input = 2;
        n_unusable_ += end.is_exit(unusable_input);
      }
    }
    if (is_done)
      console_report(args_).line(text);
    else
      Console::standard().print(text);  // also by --quiet
  }

  void say_end() const {
    std::size_t n_done = 0;
    for (std::size_t i = 0; i < folder_.n_variants(); ++i) n_done += folder_.is_done(i);
    console_report(args_).line(fmt::format("{} of {} variants are done; the table is in {}{}", n_done,
                                           folder_.n_variants(), folder_.table().string(),
                                           folder_.has_page() ? " and study.html" : ""));
  }

  using Clock = std::chrono::steady_clock;

  const CommandLine& args_;
  StudyShare share_;
  StudyFolder folder_;
  std::size_t jobs_ = 1;  ///< runs at a time
  std::vector<Child> running_;
  std::deque<std::size_t> waiting_;
  std::deque<std::size_t> alone_;    ///< killed beside others
  std::set<std::size_t> killed_;     ///< of those, which are run a second time only
  std::set<std::size_t> elsewhere_;  ///< variants at which another study was at work
  Clock::time_point last_table_;
  std::map<std::size_t, double> estimates_;  ///< memory of variants, bytes, as of the present
  double excess_ = 1.0;  ///< largest memory of a run so far relative to its estimate, at least 1
  bool has_waited_ = false;
  int n_failed_ = 0;
  std::size_t n_unusable_ = 0;  ///< failed ones whose input is unusable
  bool is_stopped_ = false;
};

}  // namespace

int run_study(const CommandLine& args) {
  // Each variant is a process of its own, which would take itself for one of those of mpirun.
  if (fem::n_processes() > 1)
    throw InputError(
        "kurbel study starts processes of its own: start it without mpirun, or give shares of it to a "
        "cluster by --array K/N");
  return StudyRun(args, read_study_file(args.file)).run();
}

}  // namespace kurbel
