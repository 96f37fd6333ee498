#include "guest_host.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

extern char** environ;

namespace atl::guest::test {
namespace {

void must(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string(what) + ": " + ::strerror(errno));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace

TempDir::TempDir() : path_("/tmp/atoll-guest-test-XXXXXX") {
  must(::mkdtemp(path_.data()) != nullptr, "mkdtemp");
}
TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

GuestProcess::GuestProcess(uid_t user) {
  for (std::size_t i = 0; i < token_.size(); ++i) token_[i] = static_cast<std::uint8_t>(i * 7 + 1);
  GuestConfig config;
  config.user_uid = user;
  config.user_gid = user == ::getuid() ? ::getgid() : user;
  config.token = token_;
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC) == 0, "pipe");
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  must(::write(write_end.get(), &config, sizeof config) == static_cast<ssize_t>(sizeof config),
       "write");
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = address_of(dir_ / "sock");
  must(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
  must(::listen(listener.get(), 16) == 0, "listen");
  // Out of the way of the numbers that the guest expects, before they are put there.
  UniqueFd config_fd(::fcntl(read_end.get(), F_DUPFD_CLOEXEC, 20));
  UniqueFd listen_fd(::fcntl(listener.get(), F_DUPFD_CLOEXEC, 20));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, config_fd.get(), kConfigFd);
  ::posix_spawn_file_actions_adddup2(&actions, listen_fd.get(), kListenFd);
  const char* argv[] = {"atoll-guest", nullptr};
  int error =
      ::posix_spawn(&pid_, ATOLL_GUEST, &actions, nullptr, const_cast<char**>(argv), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  must(error == 0, "posix_spawn");
}

GuestProcess::~GuestProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

UniqueFd GuestProcess::connect() const {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = address_of(dir_ / "sock");
  must(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
  return fd;
}

std::uint64_t GuestProcess::rss_bytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Host::Host(const GuestProcess& guest) : Host(guest.connect(), guest.token()) {}
Host::Host(UniqueFd fd, std::optional<Token> token) : in_(std::move(fd)) {
  if (token) hello(*token);
}
Host::Host(UniqueFd in, UniqueFd out) : in_(std::move(in)), out_(std::move(out)) { hello(Token{}); }

void Host::hello(const Token& token) {
  Writer out;
  out.number(kMagic).number(kVersion).raw(
      {reinterpret_cast<const char*>(token.data()), token.size()});
  send(FrameType::kHello, 0, 0, out.bytes());
}

void Host::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t size = out_ ? ::write(out_.get(), bytes.data(), bytes.size())
                        : ::send(in_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;  // the guest closed the connection; step() says so
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void Host::send(FrameType type, std::uint32_t channel, std::uint8_t stream,
                std::string_view payload) {
  auto header = encode_header({static_cast<std::uint32_t>(payload.size()), channel, type, stream});
  send_raw(std::string(header.data(), header.size()).append(payload));
}

void Host::credit(std::uint32_t channel, std::uint8_t stream, std::size_t bytes) {
  send(FrameType::kCredit, channel, stream,
       Writer().number(static_cast<std::uint32_t>(bytes)).bytes());
}

std::uint32_t Host::open(Op op, const Writer& arguments) {
  std::uint32_t id = next_++;
  send(FrameType::kOpen, id, 0, Writer().number(op).raw(arguments.bytes()).bytes());
  return id;
}

void Host::send_data(std::uint32_t channel, std::string_view bytes) {
  while (!bytes.empty()) {
    Log& log = logs_[channel];
    std::uint64_t window = kWindow + log.credit - sent_[channel];
    if (log.closed) return;
    if (window == 0) {
      if (!step()) return;
      continue;
    }
    std::string_view piece = bytes.substr(0, std::min<std::uint64_t>(window, kMaxPayload));
    send(FrameType::kData, channel, kStdin, piece);
    sent_[channel] += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

bool Host::step() {
  for (;;) {
    auto frame = reader_.next();
    if (!frame) throw std::runtime_error(frame.error().to_string());
    if (*frame) {
      take(**frame);
      return true;
    }
    auto room = reader_.prepare();
    ssize_t size = ::read(in_.get(), room.data(), room.size());
    if (size <= 0) return false;
    reader_.commit(static_cast<std::size_t>(size));
  }
}

void Host::take(const Frame& frame) {
  const FrameHeader& header = frame.header;
  Reader in(frame.payload);
  if (header.type == FrameType::kHelloOk) {
    in.number<std::uint32_t>();
    in.number<std::uint16_t>();
    boot_id = in.number<std::uint64_t>();
    return;
  }
  if (header.type == FrameType::kPong) {
    pong = frame.payload;
    return;
  }
  Log& log = logs_[header.channel];
  if (log.closed) throw std::runtime_error("a frame after kClose");
  switch (header.type) {
    case FrameType::kReply:
      log.code = in.number<Code>();
      if (*log.code == Code::kOk) {
        log.reply = in.rest();
      } else {
        in.number<std::int32_t>();
        log.reply = in.string();
      }
      break;
    case FrameType::kData:
      if (log.eof[header.stream]) throw std::runtime_error("bytes after kEof");
      log.data[header.stream] += frame.payload;
      if (auto_credit) credit(header.channel, header.stream, frame.payload.size());
      break;
    case FrameType::kEof: log.eof[header.stream] = true; break;
    case FrameType::kCredit: log.credit += in.number<std::uint32_t>(); break;
    case FrameType::kExit: log.exit = decoded<ExitInfo>(frame.payload); break;
    case FrameType::kClose: log.closed = true; break;
    default: throw std::runtime_error("an unexpected frame");
  }
}

Log& Host::finish(std::uint32_t channel) {
  until([&] { return logs_[channel].closed; });
  return logs_[channel];
}

Log& Host::replied(std::uint32_t channel) {
  until([&] { return logs_[channel].code.has_value(); });
  return logs_[channel];
}

ExecArgs shell(std::string script) {
  return {.cwd = "/tmp", .argv = {"sh", "-c", std::move(script)}, .env = {"PATH=/usr/bin:/bin"}};
}

std::vector<std::string> records(std::string_view bytes) {
  std::vector<std::string> list;
  Reader in(bytes);
  while (!in.rest().empty() && in.ok()) list.push_back(in.string());
  if (!in.done()) throw std::runtime_error("a record is cut off");
  return list;
}

}  // namespace atl::guest::test
