/// @file
/// `kurbel study`: variants of a problem, side by side, each a run of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/study_file.hpp"
#include "base/files.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "output/console.hpp"
#include "output/log.hpp"
#include "report/packed.hpp"
#include "report/page.hpp"

extern char** environ;

namespace kurbel {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The share of the variants that this process runs: every n-th, from the k-th on.
struct Share {
  std::size_t k = 1, n = 1;
};

Share share_of(const std::string& text) {
  if (text.empty()) return {};
  Share share;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, share.k);
  const bool has_slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = has_slash ? std::from_chars(first.ptr + 1, end, share.n) : first;
  if (!has_slash || second.ec != std::errc{} || second.ptr != end || share.k < 1 || share.k > share.n)
    throw InputError(fmt::format("--array {}: write K/N with whole numbers, 1 <= K <= N", text));
  return share;
}

class StudyRun {
 public:
  StudyRun(const CommandLine& args, StudyFile file)
      : args_(args), file_(std::move(file)), folder_(folder_of(args)), share_(share_of(args.array)) {
    fs::create_directories(folder_);
  }

  int run() {
    const InterruptGuard guard;
    const std::size_t n = file_.samples.size();
    std::size_t next = share_.k - 1;
    const auto jobs = static_cast<std::size_t>(args_.jobs > 0 ? args_.jobs : kurbel::threads());
    while (!running_.empty() || (next < n && !guard.flag())) {
      while (next < n && !guard.flag() && running_.size() < jobs && has_memory()) {
        if (!is_done(next)) start(next, jobs);
        next += share_.n;
      }
      if (!running_.empty()) wait_for_one();
    }
    write();
    say_end();
    if (guard.flag()) return 3;
    return n_failed_ > 0 ? 3 : 0;
  }

 private:
  static fs::path folder_of(const CommandLine& args) {
    return args.output.empty() ? fs::path("outputs") / fs::path(args.file).stem() : args.output;
  }
  std::string name_of_variant(std::size_t i) const { return fmt::format("{:04}", i + 1); }
  fs::path folder_of_variant(std::size_t i) const { return folder_ / name_of_variant(i); }
  fs::path numbers_of_variant(std::size_t i) const { return folder_ / (name_of_variant(i) + ".json"); }

  std::vector<std::string> overrides(std::size_t i) const {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < file_.keys.size(); ++k)
      texts.push_back(file_.keys[k] + "=" + file_.samples[i][k]);
    return texts;
  }

  /// A variant is done where its numbers are those of the same problem with the same overrides.
  bool is_done(std::size_t i) const {
    const json numbers = read_numbers(i);
    return !numbers.is_null() && numbers["study"]["overrides"] == json(overrides(i)) &&
           numbers["study"]["command"] == file_.command;
  }

  json read_numbers(std::size_t i) const {
    if (!fs::exists(numbers_of_variant(i))) return {};
    json numbers = json::parse(read_text_file(numbers_of_variant(i)), nullptr, false);
    return numbers.is_discarded() || !numbers.contains("study") ? json() : numbers;
  }

  /// One more run would fit beside those that go on, as large as the largest so far.
  bool has_memory() const {
    constexpr double margin = 1.2;
    return running_.empty() || largest_ == 0.0 || available_memory() > margin * largest_;
  }

  void start(std::size_t i, std::size_t jobs) {
    const fs::path folder = folder_of_variant(i), result = folder_ / (name_of_variant(i) + ".part.json");
    std::vector<std::string> words = {"kurbel", file_.command};
    if (file_.command == "optimize" && fs::exists(folder / "run.h5") && is_of_variant(i)) {
      words.insert(words.end(), {"--resume", folder.string()});
    } else {
      words.insert(words.end(), {file_.problem.string(), "--output", folder.string()});
      if (file_.command == "optimize") words.emplace_back("--overwrite");
      for (const std::string& text : overrides(i)) words.insert(words.end(), {"--set", text});
    }
    const int threads = std::max(1, kurbel::threads() / static_cast<int>(jobs));
    words.insert(words.end(), {"--json", result.string(), "--threads", std::to_string(threads)});
    write_text_file(folder_ / (name_of_variant(i) + ".overrides"),
                    fmt::format("{}\n", fmt::join(overrides(i), "\n")));
    running_[spawn(words, folder_ / (name_of_variant(i) + ".log"))] = i;
  }

  bool is_of_variant(std::size_t i) const {
    const fs::path file = folder_ / (name_of_variant(i) + ".overrides");
    return fs::exists(file) && read_text_file(file) == fmt::format("{}\n", fmt::join(overrides(i), "\n"));
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

  void wait_for_one() {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    const auto found = running_.find(pid);
    if (found == running_.end()) return;
    const std::size_t i = found->second;
    running_.erase(found);
    finish(i, WIFEXITED(status) ? WEXITSTATUS(status) : 3);
    write();
  }

  void finish(std::size_t i, int exit_code) {
    const fs::path part = folder_ / (name_of_variant(i) + ".part.json");
    json numbers = fs::exists(part) ? json::parse(read_text_file(part), nullptr, false) : json();
    if (!numbers.is_object()) numbers = json::object();
    largest_ = std::max(largest_, numbers.value("peak_memory_bytes", 0.0));
    std::string text = fmt::format("{}: {}", name_of_variant(i), fmt::join(overrides(i), ", "));
    const bool is_interrupted = numbers.value("status", std::string()) == "interrupted";
    if (is_interrupted) exit_code = 3;
    if (exit_code == 0) {
      if (numbers.contains("psi")) text += fmt::format("; psi = {:.6g}", numbers["psi"].get<double>());
      if (numbers.contains("status")) text += "; " + numbers["status"].get<std::string>();
    } else {
      numbers["error"] = last_error(i);
      text += "; " + numbers["error"].get<std::string>();
      ++n_failed_;
    }
    numbers["study"] = {{"overrides", overrides(i)}, {"command", file_.command}, {"exit_code", exit_code}};
    // What failed or was interrupted has its say, and is tried again when the study is.
    write_text_file(exit_code == 0 ? numbers_of_variant(i) : folder_ / (name_of_variant(i) + ".failed.json"),
                    numbers.dump(1));
    std::error_code ignored;
    fs::remove(part, ignored);
    if (exit_code == 0) fs::remove(folder_ / (name_of_variant(i) + ".failed.json"), ignored);
    Console::standard().print(text);
  }

  /// The last line of the log that tells of an error.
  std::string last_error(std::size_t i) const {
    const std::string log = read_text_file(folder_ / (name_of_variant(i) + ".log"));
    const std::size_t place = log.rfind("error: ");
    if (place == std::string::npos) return "interrupted";
    return log.substr(place, log.find('\n', place) - place);
  }

  json row_of(std::size_t i) const {
    json row = {{"variant", name_of_variant(i)}};
    for (std::size_t k = 0; k < file_.keys.size(); ++k) row["values"][file_.keys[k]] = file_.samples[i][k];
    json numbers = read_numbers(i);
    if (numbers.is_null()) {
      const fs::path failed = folder_ / (name_of_variant(i) + ".failed.json");
      if (fs::exists(failed)) numbers = json::parse(read_text_file(failed), nullptr, false);
      row["status"] =
          numbers.is_object() ? numbers.value("error", std::string("failed")) : std::string("not run");
      return row;
    }
    row["status"] = numbers.value("status", std::string("done"));
    if (numbers.contains("psi")) row["functions"]["psi"] = numbers["psi"];
    for (const json& of_row : numbers.value("constraints", json::array())) {
      const std::string name = of_row.value("name", std::string());
      if (!name.empty() && name != "objective")
        row["functions"][name] =
            of_row.contains("peak") && of_row["peak"].is_number() ? of_row["peak"] : of_row["value"];
      if (of_row.contains("met") && of_row["met"] == false) row["violated"] = true;
    }
    for (const char* name : {"grey_level", "wall_seconds"}) {
      if (numbers.contains(name)) row["functions"][name] = numbers[name];
    }
    return row;
  }

  void write() const {
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
    std::string csv = "variant";
    for (const std::string& key : file_.keys) csv += "," + quoted(key);
    csv += ",status";
    for (const std::string& name : functions) csv += "," + quoted(name);
    for (const json& row : rows) {
      csv += "\n" + row["variant"].get<std::string>();
      for (const std::string& key : file_.keys) csv += "," + quoted(row["values"][key].get<std::string>());
      csv += "," + quoted(row["status"].get<std::string>());
      for (const std::string& name : functions)
        csv += row.contains("functions") && row["functions"].contains(name)
                   ? fmt::format(",{:.12g}", row["functions"][name].get<double>())
                   : ",";
    }
    write_text_file(folder_ / "study.csv", csv + "\n");
    write_page(rows, functions);
  }

  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  /// The page has the pictures of as many shapes as fit into some megabytes.
  void write_page(std::vector<json> rows, const std::vector<std::string>& functions) const {
    std::uintmax_t left = 4'000'000;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const fs::path picture = folder_of_variant(i) / "density.png";
      std::error_code error;
      const std::uintmax_t size = fs::file_size(picture, error);
      if (error || size > left) continue;
      left -= size;
      rows[i]["picture"] = base64(read_text_file(picture));
    }
    const std::string page =
        html_of_study({{"title", fmt::format("Study of {}", file_.problem.filename().string())},
                       {"keys", file_.keys},
                       {"functions", functions},
                       {"rows", rows}});
    if (!page.empty()) write_text_file(folder_ / "study.html", page);
  }

  void say_end() const {
    std::size_t n_done = 0;
    for (std::size_t i = 0; i < file_.samples.size(); ++i) n_done += is_done(i);
    Console::standard().print(fmt::format("{} of {} variants are done; {} and study.html have their table",
                                          n_done, file_.samples.size(), (folder_ / "study.csv").string()));
  }

  const CommandLine& args_;
  StudyFile file_;
  fs::path folder_;
  Share share_;
  std::map<pid_t, std::size_t> running_;
  double largest_ = 0.0;  ///< memory of a run so far, bytes
  int n_failed_ = 0;
};

}  // namespace

int run_study(const CommandLine& args) {
  return StudyRun(args, read_study_file(args.file)).run();
}

}  // namespace kurbel
