/// @file
/// `kurbel study`: variants of a problem, side by side, each a run of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/memory_of_runs.hpp"
#include "app/study_file.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "fem/processes.hpp"
#include "output/console.hpp"
#include "problem/problem.hpp"
#include "problem/toml_sources.hpp"
#include "report/packed.hpp"
#include "report/page.hpp"
#include "report/study_text.hpp"

extern char** environ;

namespace kurbel {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A process that runs a variant.
struct Child {
  std::size_t variant;
  pid_t pid;
  double estimated_memory;  ///< bytes

  /// Returns the memory that it holds, bytes; 0 if that is not known.
  double memory() const {
    std::ifstream file(fmt::format("/proc/{}/statm", pid));
    double all = 0.0, resident = 0.0;
    return file >> all >> resident ? resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0.0;
  }
};

/// Returns a text of an object, or `absent` where there is none.
std::string text_or(const json& of, const char* key, const std::string& absent) {
  return of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : absent;
}

std::optional<double> number_in(const json& of, const char* key) {
  return of.contains(key) && of[key].is_number() ? std::optional(of[key].get<double>()) : std::nullopt;
}

/// A value as a reader writes it: text without its quotes.
std::string shown(const std::string& value) {
  const bool is_text = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return is_text ? value.substr(1, value.size() - 2) : value;
}

class StudyRun {
 public:
  StudyRun(const CommandLine& args, StudyFile file)
      : args_(args), file_(std::move(file)), folder_(folder_of(args)), share_(share_of_study(args.array)) {
    for (const fs::path& source : toml_sources(file_.problem.string()))
      problem_ += read_text_file(source) + '\0';
    claim_folder();
  }
  StudyRun(const StudyRun&) = delete;
  StudyRun& operator=(const StudyRun&) = delete;
  ~StudyRun() {
    stop_all(SIGTERM);
    for (const Child& child : running_) ::waitpid(child.pid, nullptr, 0);
  }

  int run() {
    std::signal(SIGCHLD, SIG_DFL);  // where it is ignored nobody can be waited for
    const InterruptGuard guard;
    const std::vector<std::size_t> open = open_variants();
    const std::size_t jobs = std::clamp<std::size_t>(
        args_.jobs > 0 ? static_cast<std::size_t>(args_.jobs) : static_cast<std::size_t>(kurbel::threads()),
        1, std::max<std::size_t>(1, open.size()));
    std::size_t next = 0;
    while (!running_.empty() || (next < open.size() && !guard.flag())) {
      while (next < open.size() && !guard.flag() && running_.size() < jobs && has_memory_for(open[next]))
        start(open[next++], jobs);
      if (guard.flag()) stop_all(guard.signal_for_others());
      collect();
    }
    write_table();
    say_end();
    if (guard.flag()) return 3;
    const bool is_all_unusable = n_unusable_ > 0 && n_unusable_ == share_.n_of(file_.samples.size());
    return is_all_unusable ? 2 : n_failed_ > 0 ? 3 : 0;
  }

 private:
  static fs::path folder_of(const CommandLine& args) {
    return args.output.empty() ? fs::path("outputs") / fs::path(args.file).stem() : args.output;
  }

  /// A study replaces its own files alone.
  void claim_folder() const {
    fs::create_directories(folder_);
    const fs::path mark = folder_ / ".kurbel-study";
    for (const char* name : {"study.csv", "study.html", "study.svg"}) {
      if (!fs::exists(mark) && fs::exists(folder_ / name))
        throw InputError(
            fmt::format("cannot write to {}: its {} was not written by a study; choose another folder",
                        folder_.string(), name));
    }
    write_text_file(mark, "kurbel study\n");
  }

  /// The problem and what of it is another: two variants of one name are the same run.
  std::string name_of_variant(std::size_t i) const {
    constexpr std::size_t digits = 10;
    return digest_of(fmt::format("{}\n{}\n{}", problem_, file_.command, fmt::join(overrides(i), "\n")))
        .substr(0, digits);
  }
  fs::path file_of_variant(std::size_t i, const char* ending) const {
    return folder_ / (name_of_variant(i) + ending);
  }

  std::vector<std::string> overrides(std::size_t i) const {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < file_.keys.size(); ++k)
      texts.push_back(file_.keys[k] + "=" + file_.samples[i][k]);
    return texts;
  }

  /// Those of the share.
  std::vector<std::size_t> variants() const {
    std::vector<std::size_t> own;
    for (std::size_t i = share_.k - 1; i < file_.samples.size(); i += share_.n) own.push_back(i);
    return own;
  }
  std::vector<std::size_t> open_variants() const {
    std::vector<std::size_t> open = variants();
    std::erase_if(open, [&](std::size_t i) { return !read_numbers(i, ".json").is_null(); });
    return open;
  }

  /// Null if there are none, or the file is damaged.
  json read_numbers(std::size_t i, const char* ending) const {
    const fs::path file = file_of_variant(i, ending);
    if (!fs::exists(file)) return {};
    json numbers = json::parse(read_text_file(file), nullptr, false);
    return numbers.is_object() ? numbers : json();
  }

  /// A single run always starts; it reports itself if memory does not suffice.
  bool has_memory_for(std::size_t i) {
    if (running_.empty()) return true;
    std::vector<RunningMemory> running;
    for (const Child& child : running_) running.push_back({child.estimated_memory, child.memory()});
    const bool fits = fits_beside(running, estimated_memory(i), excess_, available_memory());
    if (!fits && !std::exchange(has_waited_, true))
      console_report(args_).line(fmt::format(
          "memory suffices for {} runs at present; further variants wait until one ends", running_.size()));
    return fits;
  }

  /// Bytes; 0 for an input that cannot be read, which its run reports.
  double estimated_memory(std::size_t i) {
    if (estimate_ && estimate_->first == i) return estimate_->second;
    double bytes = 0.0;
    try {
      bytes = memory_of_run(read_problem(file_.problem.string(), overrides(i))).usual;
    } catch (const std::exception&) {
    }
    estimate_ = {i, bytes};
    return bytes;
  }

  void start(std::size_t i, std::size_t jobs) {
    const fs::path folder = file_of_variant(i, "");
    std::vector<std::string> words = {"kurbel", file_.command};
    if (file_.command == "optimize" && fs::exists(folder / "run.h5")) {
      words.insert(words.end(), {"--resume", folder.string()});
    } else {
      words.insert(words.end(), {file_.problem.string(), "--output", folder.string()});
      for (const std::string& text : overrides(i)) words.insert(words.end(), {"--set", text});
    }
    const int threads = std::max(1, kurbel::threads() / static_cast<int>(jobs));
    words.insert(words.end(),
                 {"--json", file_of_variant(i, ".part.json").string(), "--threads", std::to_string(threads)});
    const double memory = jobs > 1 ? estimated_memory(i) : 0.0;
    running_.push_back({i, spawn(words, file_of_variant(i, ".log")), memory});
  }

  static pid_t spawn(std::vector<std::string>& words, const fs::path& log) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw WriteError(fmt::format("cannot start another process: {}", std::strerror(error)));
    return pid;
  }

  /// Asks the runs to finish their evaluation and end, once.
  void stop_all(int signal) {
    if (std::exchange(is_stopped_, true)) return;
    for (const Child& child : running_) ::kill(child.pid, signal);
  }

  /// Waits a moment, and takes what the runs that have ended left.
  void collect() {
    constexpr auto moment = std::chrono::milliseconds(50);
    std::this_thread::sleep_for(moment);
    for (std::size_t c = 0; c < running_.size();) {
      int status = 0;
      if (::waitpid(running_[c].pid, &status, WNOHANG) == 0) {
        ++c;
        continue;
      }
      const Child ended = running_[c];
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(c));
      finish(ended, status);
      constexpr auto interval = std::chrono::seconds(5);
      if (const auto now = Clock::now(); now - last_table_ > interval) write_table();
    }
  }

  void finish(const Child& ended, int status) {
    const std::size_t i = ended.variant;
    json numbers = read_numbers(i, ".part.json");
    if (numbers.is_null()) numbers = json::object();
    if (ended.estimated_memory > 0.0)
      excess_ =
          std::max(excess_, number_in(numbers, "peak_memory_bytes").value_or(0.0) / ended.estimated_memory);
    std::string text = fmt::format("{}: {}", name_of_variant(i), fmt::join(overrides(i), ", "));
    const bool is_interrupted = text_or(numbers, "status", "") == "interrupted";
    const bool is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !is_interrupted;
    if (is_done) {
      if (const auto psi = number_in(numbers, "psi")) text += fmt::format("; psi = {:.6g}", *psi);
      if (const std::string verdict = text_or(numbers, "status", ""); !verdict.empty())
        text += "; " + verdict;
    } else {
      const std::string error =
          WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status)) : last_error(i);
      numbers = {{"error", error}};
      text += "; " + error;
      ++n_failed_;
      constexpr int unusable_input = 2;
      n_unusable_ += WIFEXITED(status) && WEXITSTATUS(status) == unusable_input;
    }
    numbers["study"] = {{"overrides", overrides(i)}, {"command", file_.command}};
    // The reason of a failure is kept for the table. The variant is tried again when the study is run again.
    write_text_file(file_of_variant(i, is_done ? ".json" : ".failed.json"), text_of(numbers));
    std::error_code ignored;
    fs::remove(file_of_variant(i, ".part.json"), ignored);
    if (is_done) fs::remove(file_of_variant(i, ".failed.json"), ignored);
    console_report(args_).line(text);
  }

  static std::string text_of(const json& numbers) {
    return numbers.dump(1, ' ', false, json::error_handler_t::replace);
  }

  /// The last line of the log that tells of an error.
  std::string last_error(std::size_t i) const {
    const std::string log = read_text_file(file_of_variant(i, ".log"));
    const std::size_t place = log.rfind("error: ");
    if (place == std::string::npos) return "interrupted";
    return log.substr(place, log.find('\n', place) - place);
  }

  json row_of(std::size_t i) const {
    json row = {{"variant", name_of_variant(i)}};
    for (std::size_t k = 0; k < file_.keys.size(); ++k)
      row["values"][file_.keys[k]] = shown(file_.samples[i][k]);
    const json numbers = read_numbers(i, ".json");
    if (numbers.is_null()) {
      const json failed = read_numbers(i, ".failed.json");
      row["status"] = failed.is_null() ? std::string("not run") : text_or(failed, "error", "failed");
      return row;
    }
    row["status"] = text_or(numbers, "status", "done");
    const auto keep = [&](const std::string& name, const json& of, const char* key) {
      if (const auto value = number_in(of, key)) row["functions"][name] = *value;
    };
    keep("psi", numbers, "psi");
    const json none = json::array();
    for (const json& of_row : numbers.contains("constraints") ? numbers["constraints"] : none) {
      const std::string name = text_or(of_row, "name", "");
      if (name.empty() || name == "objective") continue;
      keep(name, of_row, "value"), keep(name, of_row, "peak");
      const bool has_lower = number_in(of_row, "lower").has_value();
      if (has_lower != number_in(of_row, "upper").has_value())
        row["senses"][name] = has_lower ? "larger" : "smaller";
      if (of_row.contains("met") && of_row["met"] == false) row["violated"] = true;
    }
    keep("grey_level", numbers, "grey_level"), keep("wall_seconds", numbers, "wall_seconds");
    return row;
  }

  void write_table() {
    last_table_ = Clock::now();
    std::vector<json> rows;
    std::vector<std::string> functions;
    for (std::size_t i = 0; i < file_.samples.size(); ++i) {
      rows.push_back(row_of(i));
      const json own = rows.back().value("functions", json::object());
      for (const auto& [name, value] : own.items()) {
        if (std::ranges::find(functions, name) == functions.end()) functions.push_back(name);
      }
    }
    if (const auto psi = std::ranges::find(functions, "psi"); psi != functions.end())
      std::rotate(functions.begin(), psi, psi + 1);
    json study = {{"title", fmt::format("Study of {}", file_.problem.filename().string())},
                  {"keys", file_.keys},
                  {"functions", functions},
                  {"rows", std::move(rows)}};
    replace("study.csv", csv_of_study(study));
    if (const std::string picture = svg_of_study(study); !picture.empty()) replace("study.svg", picture);
    add_pictures(study["rows"]);
    if (const std::string page = html_of_study(study); !page.empty()) replace("study.html", page);
  }

  /// Other shares of the study may write the same file at the same time: each has a file of its own that takes its place.
  void replace(const char* name, const std::string& text) const {
    const fs::path own = folder_ / fmt::format("{}.{}", name, ::getpid());
    write_text_file(own, text);
    fs::rename(own, folder_ / name);
  }

  /// The page has the pictures of as many shapes as fit into some megabytes.
  void add_pictures(json& rows) const {
    std::uintmax_t left = 4'000'000;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const fs::path picture = file_of_variant(i, "") / "density.png";
      std::error_code error;
      const std::uintmax_t size = fs::file_size(picture, error);
      if (error || size > left) continue;
      left -= size;
      rows[i]["picture"] = base64(read_text_file(picture));
    }
  }

  void say_end() const {
    std::size_t n_done = 0;
    for (std::size_t i = 0; i < file_.samples.size(); ++i) n_done += !read_numbers(i, ".json").is_null();
    const bool has_page = fs::exists(folder_ / "study.html");
    console_report(args_).line(fmt::format("{} of {} variants are done; the table is in {}{}", n_done,
                                           file_.samples.size(), (folder_ / "study.csv").string(),
                                           has_page ? " and study.html" : ""));
  }

  using Clock = std::chrono::steady_clock;

  const CommandLine& args_;
  StudyFile file_;
  fs::path folder_;
  StudyShare share_;
  std::string problem_;  ///< its text, with what it includes
  std::vector<Child> running_;
  Clock::time_point last_table_;
  std::optional<std::pair<std::size_t, double>>
      estimate_;         ///< memory of a variant, bytes; of the last that was asked
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
