/// Stands in for libFuzzer where the compiler has none: gives a harness every file of its corpus, then
/// mutations of them. Which mutations depends on the seed alone.
///
///     toml_problem_fuzz [--seconds S | --runs N] [--seed K] FILES AND FOLDERS
///
/// The input that ends the program is left in the working folder as <harness>.crash: a file of the corpus,
/// once what it shows is mended.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_input_seconds = 30;  // more is an endless loop, also under the sanitizers
constexpr std::size_t longest_input = 1 << 20;

std::string current;     // the input being read
std::string crash_file;  // where it goes if that ends the program

void keep_current() {
  std::FILE* file = std::fopen(crash_file.c_str(), "wb");
  if (!file) return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "the input is in %s\n", crash_file.c_str());
}

extern "C" void end_endless_loop(int) {
  std::fprintf(stderr, "an input of %zu bytes takes more than %u s\n", current.size(), longest_input_seconds);
  keep_current();
  _exit(1);
}

extern "C" void end_on_signal(int signal) {
  keep_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string input) {
  current = std::move(input);
  alarm(longest_input_seconds);
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is no InputError: %s\n", error.what());
    keep_current();
    std::exit(1);
  }
  alarm(0);
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Makes inputs out of others.
class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed) : corpus_(corpus), engine_(seed) {
    words_ = {"nan",    "inf", "-1", "0", "1e999", "5e-324", "99999999999",
              "1e-300", "",    "=",  "[", "]",     "{",      "}",
              "\"",     "'''", "\n", "#", ".",     ",",      std::string(1, '\0'),
              "\xff"};
    for (const std::string& text : corpus) add_words(text);
  }

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    const std::size_t n = 1 + below(4);
    for (std::size_t i = 0; i < n; ++i) mutate(text);
    if (text.size() > longest_input) text.resize(longest_input);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n < 2 ? 0 : static_cast<std::size_t>(engine_() % n); }

  void add_words(const std::string& text) {
    const auto in_word = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
    for (auto at = text.begin(); at != text.end() && words_.size() < 5000;) {
      at = std::find_if(at, text.end(), in_word);
      const auto end = std::find_if_not(at, text.end(), in_word);
      if (end - at > 0 && end - at < 40) words_.emplace_back(at, end);
      at = end;
    }
  }

  /// The word around a position.
  std::pair<std::size_t, std::size_t> word_at(const std::string& text, std::size_t at) const {
    constexpr const char* ends = " \t\n,=[]{}\"";
    const std::size_t begin = text.find_last_of(ends, at) + 1;
    return {begin, std::min(text.find_first_of(ends, begin), text.size()) - begin};
  }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1), length = 1 + below(16);
    switch (below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), 8 * length));
        break;
      case 4:
        text.insert(at, words_[below(words_.size())]);
        break;
      case 5:
      case 6: {
        const auto [begin, size] = word_at(text, at);
        text.replace(begin, size, words_[below(words_.size())]);
        break;
      }
      case 7: {
        const std::string& other = corpus_[below(corpus_.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      }
      default:
        text.resize(at);
    }
  }

  const std::vector<std::string>& corpus_;
  std::vector<std::string> words_;
  std::mt19937_64 engine_;
};

}  // namespace

int main(int argc, char** argv) {
  double seconds = 2.0;
  std::uint64_t runs = 0, seed = 1;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--seconds") {
      seconds = std::atof(value), ++i;
    } else if (argument == "--runs") {
      runs = std::strtoull(value, nullptr, 10), ++i;
    } else if (argument == "--seed") {
      seed = std::strtoull(value, nullptr, 10), ++i;
    } else if (fs::is_directory(argument)) {
      for (const auto& entry : fs::directory_iterator(argument)) files.push_back(entry.path());
    } else {
      files.emplace_back(argument);
    }
  }
  crash_file = fs::path(argv[0]).filename().string() + ".crash";
  std::signal(SIGALRM, end_endless_loop);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_current);
  std::signal(SIGABRT, end_on_signal);

  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus = {""};
  for (const fs::path& file : files) corpus.push_back(content_of(file));
  for (const std::string& input : corpus) run(input);
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&](std::uint64_t n) {
    return runs > 0 ? n < runs
                    : std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds);
  };
  Mutator mutator(corpus, seed);
  std::uint64_t n = 0;
  for (; goes_on(n); ++n) run(mutator.next());
  std::printf("%zu files of the corpus and %llu mutations, seed %llu: each taken or refused\n", files.size(),
              static_cast<unsigned long long>(n), static_cast<unsigned long long>(seed));
  // The check for lost memory follows, and its report belongs to no single input.
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(nullptr);
}
