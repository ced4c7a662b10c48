#include "base/hdf5_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

namespace kurbel {
namespace fs = std::filesystem;
namespace {

/// Plain data as bytes, for a process on the same machine.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& bytes() const { return bytes_; }

  void put(std::int64_t number) { append(&number, sizeof number); }
  void put(const std::string& text) {
    put(static_cast<std::int64_t>(text.size()));
    append(text.data(), text.size());
  }
  void put(double number) { append(&number, sizeof number); }
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  /// Takes from the front. @throws std::out_of_range if there is less: then the sender was not sane
  void take(void* data, std::size_t size) {
    if (size > bytes_.size() - at_) throw std::out_of_range("message");
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  std::int64_t integer() {
    std::int64_t number = 0;
    take(&number, sizeof number);
    return number;
  }
  std::size_t count(std::size_t size_of_one) {
    const std::int64_t n = integer();
    if (n < 0 || static_cast<std::size_t>(n) > (bytes_.size() - at_) / size_of_one)
      throw std::out_of_range("message");
    return static_cast<std::size_t>(n);
  }
  std::string text() {
    std::string text(count(1), '\0');
    take(text.data(), text.size());
    return text;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

Bytes to_bytes(const Hdf5Query& query) {
  Bytes out;
  out.put(static_cast<std::int64_t>(query.what));
  out.put(query.object);
  out.put(query.attribute);
  out.put(query.row);
  return out;
}

Hdf5Query query_of(Bytes bytes) {
  Hdf5Query query;
  query.what = static_cast<Hdf5Query::What>(bytes.integer());
  query.object = bytes.text();
  query.attribute = bytes.text();
  query.row = bytes.integer();
  return query;
}

Bytes to_bytes(const Hdf5Answer& answer) {
  Bytes out;
  out.put(answer.error);
  out.put(answer.integer);
  out.put(answer.number);
  out.put(static_cast<std::int64_t>(answer.array.shape.size()));
  for (const std::size_t extent : answer.array.shape) out.put(static_cast<std::int64_t>(extent));
  out.put(static_cast<std::int64_t>(answer.array.values.size()));
  out.append(answer.array.values.data(), answer.array.values.size() * sizeof(double));
  out.put(static_cast<std::int64_t>(answer.texts.size()));
  for (const std::string& text : answer.texts) out.put(text);
  return out;
}

Hdf5Answer answer_of(Bytes bytes) {
  Hdf5Answer answer;
  answer.error = bytes.text();
  answer.integer = bytes.integer();
  bytes.take(&answer.number, sizeof answer.number);
  answer.array.shape.resize(bytes.count(sizeof(std::int64_t)));
  for (std::size_t& extent : answer.array.shape) extent = static_cast<std::size_t>(bytes.integer());
  answer.array.values.resize(bytes.count(sizeof(double)));
  bytes.take(answer.array.values.data(), answer.array.values.size() * sizeof(double));
  answer.texts.resize(bytes.count(sizeof(std::int64_t)));
  for (std::string& text : answer.texts) text = bytes.text();
  return answer;
}

bool send_all(int socket, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::send(socket, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::recv(socket, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

constexpr std::uint64_t sign = 0x6b757262656c2131;  // in front of every message

bool send_message(int socket, const Bytes& message) {
  const std::uint64_t head[2] = {sign, message.bytes().size()};
  return send_all(socket, head, sizeof head) &&
         send_all(socket, message.bytes().data(), message.bytes().size());
}

/// False if the other side is gone or not sane.
bool receive_message(int socket, Bytes& message) {
  std::uint64_t head[2] = {};
  if (!receive_all(socket, head, sizeof head) || head[0] != sign) return false;
  std::string bytes;
  constexpr std::uint64_t portion = 1 << 24;  // memory only for what has come
  while (bytes.size() < head[1]) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + std::min(portion, head[1] - begin));
    if (!receive_all(socket, bytes.data() + begin, bytes.size() - begin)) return false;
  }
  message = Bytes(std::move(bytes));
  return true;
}

struct Limits {
  rlim_t memory;   ///< bytes, beside what the process has
  time_t seconds;  ///< of the processor, for one question
};

Limits limits_for(const fs::path& path) {
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path, ignored);
  const std::uintmax_t bytes = ignored ? 0 : size;
  constexpr std::uintmax_t gigabyte = 1 << 30, per_second = 2'000'000;
  return {gigabyte + 64 * bytes, static_cast<time_t>(1 + bytes / per_second)};
}

rlim_t address_space() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  return statm ? pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// A copy that fails leaves nothing behind: no core, no message, no memory taken from others.
void confine(const Limits& limits) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    for (const int descriptor : {0, 1, 2}) ::dup2(null, descriptor);
    if (null > 2) ::close(null);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);  // our parent decides
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const rlim_t used = address_space();
  const rlimit memory{used + limits.memory, used + limits.memory};
  if (used > 0) setrlimit(RLIMIT_AS, &memory);
}

/// Ends the process after that time of the processor; 0 takes the limit away.
void limit_time(time_t seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

constexpr const char* hdf5_file = "HDF5 file";

Hdf5Answer guarded(const fs::path& path, const std::string& kind, const std::function<Hdf5Answer()>& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return {fmt::format("{}: damaged {} (it claims more than fits into memory)", path.string(), kind)};
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

[[noreturn]] void serve(int socket, const fs::path& path, const Limits& limits,
                        const std::function<Hdf5ReaderProcess::Answering()>& open) {
  const auto limited = [&](const std::function<Hdf5Answer()>& action) {
    limit_time(limits.seconds);
    const Hdf5Answer answer = guarded(path, hdf5_file, action);
    limit_time(0);
    return answer;
  };
  Hdf5ReaderProcess::Answering answering;
  Hdf5Answer answer = limited([&] {
    answering = open();
    return Hdf5Answer{};
  });
  Bytes question;
  while (send_message(socket, to_bytes(answer)) && receive_message(socket, question))
    answer = limited([&] { return answering(query_of(std::move(question))); });
  ::_exit(0);
}

/// @return the process, or 0 in it
pid_t start(const fs::path& path, int (&sockets)[2]) {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
    throw InputError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  const pid_t process = ::fork();
  if (process == 0) return 0;
  ::close(sockets[1]);
  if (process < 0) {
    const int why = errno;
    ::close(sockets[0]);
    throw InputError(fmt::format("cannot read {}: no process to read it can be started: {}", path.string(),
                                 std::strerror(why)));
  }
  return process;
}

/// How a process ended that should not have.
InputError damaged(const fs::path& path, const std::string& kind, int status) {
  std::string how = "reading it failed";
  if (WIFSIGNALED(status)) {
    how = WTERMSIG(status) == SIGPROF ? "reading it does not end"
                                      : fmt::format("reading it ended with signal {}", WTERMSIG(status));
  }
  return InputError(fmt::format("{}: damaged {} ({})", path.string(), kind, how));
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Hdf5ReaderProcess::Hdf5ReaderProcess(fs::path path, const std::function<Answering()>& open)
    : path_(std::move(path)) {
  const Limits limits = limits_for(path_);
  int sockets[2];
  process_ = start(path_, sockets);
  if (process_ == 0) {
    // Other readers' sockets: they end when nobody has the other end any more.
    if (sockets[1] != 3) ::dup2(sockets[1], 3);
    ::close_range(4, ~0U, 0);
    confine(limits);
    serve(3, path_, limits, open);
  }
  socket_ = sockets[0];
  try {
    receive();
  } catch (...) {
    end();
    throw;
  }
}

Hdf5ReaderProcess::~Hdf5ReaderProcess() {
  end();
}

void Hdf5ReaderProcess::end() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  wait_for(std::exchange(process_, -1));
}

Hdf5Answer Hdf5ReaderProcess::receive() {
  Bytes message;
  if (!receive_message(socket_, message)) {
    ::kill(process_, SIGKILL);  // without effect on one that has ended
    throw damaged(path_, hdf5_file, wait_for(std::exchange(process_, -1)));
  }
  Hdf5Answer answer;
  try {
    answer = answer_of(std::move(message));
  } catch (const std::out_of_range&) {
    throw damaged(path_, hdf5_file, 0);
  }
  if (!answer.error.empty()) throw InputError(answer.error);
  return answer;
}

Hdf5Answer Hdf5ReaderProcess::ask(const Hdf5Query& query) {
  if (process_ > 0 && send_message(socket_, to_bytes(query))) return receive();
  if (process_ <= 0) throw damaged(path_, hdf5_file, 0);
  ::kill(process_, SIGKILL);
  throw damaged(path_, hdf5_file, wait_for(std::exchange(process_, -1)));
}

std::vector<double> run_apart(const fs::path& path, const std::string& kind,
                              const std::function<std::vector<double>()>& action) {
  constexpr time_t more_seconds = 20;  // than a question to a file takes
  Limits limits = limits_for(path);
  limits.seconds += more_seconds;
  int sockets[2];
  const pid_t process = start(path, sockets);
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody writes behind the back of a later run
    ::close(sockets[0]);
    confine(limits);
    limit_time(limits.seconds);
    const Hdf5Answer answer = guarded(path, kind, [&] {
      Hdf5Answer values;
      values.array.values = action();
      return values;
    });
    send_message(sockets[1], to_bytes(answer));
    ::_exit(0);
  }
  Bytes message;
  const bool complete = receive_message(sockets[0], message);
  ::close(sockets[0]);
  const int status = wait_for(process);
  if (!complete) throw damaged(path, kind, status);
  Hdf5Answer answer;
  try {
    answer = answer_of(std::move(message));
  } catch (const std::out_of_range&) {
    throw damaged(path, kind, 0);
  }
  if (!answer.error.empty()) throw InputError(answer.error);
  return std::move(answer.array.values);
}

}  // namespace kurbel
