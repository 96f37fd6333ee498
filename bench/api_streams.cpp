// A gibibyte into a sandbox and out of it, beside the same bytes through a pipe, a Unix socket and
// a TCP connection, which is the way that they have to take.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <functional>

#include "api.hpp"
#include "process.hpp"

namespace atl::bench {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

// Lines of text, so that events need neither escapes nor base64 for most of it.
std::string some_text() {
  std::string line(127, 'x');
  line += '\n';
  std::string text;
  while (text.size() < kPiece) text += line;
  return text;
}

pid_t in_child(const std::function<void()>& work) {
  pid_t pid = ::fork();
  if (pid != 0) return pid;
  work();
  ::_exit(0);
}

void copy_all(int from, int to) {
  std::string piece(kPiece, '\0');
  for (;;) {
    ssize_t got = ::read(from, piece.data(), piece.size());
    if (got <= 0) return;
    for (ssize_t done = 0; done < got;) {
      ssize_t put = ::write(to, piece.data() + done, static_cast<std::size_t>(got - done));
      if (put <= 0) return;
      done += put;
    }
  }
}

struct Listener {
  UniqueFd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port = 0;

  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd.get(), plain, size) != 0 || ::listen(fd.get(), 1) != 0 ||
        ::getsockname(fd.get(), plain, &size) != 0) {
      give_up("cannot listen");
    }
    port = ntohs(address.sin_port);
  }
};

double relay(std::uint64_t size, const std::string& text) {
  std::array<int, 2> pipe{}, pair{};
  Listener listener;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) give_up("no pipe");
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) give_up("no pair");
  UniqueFd pipe_out(pipe[0]), pipe_in(pipe[1]), near(pair[0]), far(pair[1]);
  std::vector<pid_t> children;
  children.push_back(in_child([&] {
    for (std::uint64_t left = size; left > 0;) {
      ssize_t put = ::write(pipe_in.get(), text.data(), std::min<std::uint64_t>(left, text.size()));
      if (put <= 0) return;
      left -= static_cast<std::uint64_t>(put);
    }
  }));
  pipe_in.reset();
  children.push_back(in_child([&] { copy_all(pipe_out.get(), near.get()); }));
  pipe_out.reset();
  near.reset();
  children.push_back(in_child([&] {
    UniqueFd client(::accept(listener.fd.get(), nullptr, nullptr));
    copy_all(far.get(), client.get());
  }));
  far.reset();
  Clock::time_point start = Clock::now();
  Connection connection(listener.port);
  std::string piece(kPiece, '\0');
  std::uint64_t total = 0;
  while (total < size) {
    ssize_t got = ::recv(connection.fd(), piece.data(), piece.size(), 0);
    if (got <= 0) give_up("the relay broke");
    total += static_cast<std::uint64_t>(got);
  }
  double time = ms_since(start);
  for (pid_t child : children) ::waitpid(child, nullptr, 0);
  return time;
}

// The best rate of some rounds, and the most memory that the server needed for one.
struct Stream {
  const char* name;
  std::function<double()> run;  // its time in ms
  double best = 0, growth = 0;

  void once(pid_t server, std::uint64_t size) {
    double before = resident_kb(server);
    reset_peak(server);
    best = std::max(best, static_cast<double>(size) / 1e3 / run());
    growth = std::max(growth, peak_kb(server) - before);
  }
};

}  // namespace

void measure_streams(const Setting& setting) {
  const Target& target = setting.atoll;
  const std::uint64_t size = (setting.quick ? 128ULL : 1024ULL) << 20;
  const std::string text = some_text();
  Connection connection(target.port);
  // Room on a tmpfs, which is half of the memory at most, and no limit of its own on the processor.
  must_be(201,
          connection.call(target.request("POST", "/api/v1/templates",
                                         R"({"id":"bench-streams","language":"bash","pool":0,)"
                                         R"("resources":{"cpu":2,"memory":4096,"disk":1536}})")));
  std::string id = make_session(connection, target, R"({"template_id":"bench-streams"})");
  std::string file = "/api/v1/sessions/" + id + "/files/big";
  auto upload = [&] {
    connection.call(target.request("DELETE", file));  // there is no room for two
    Clock::time_point start = Clock::now();
    connection.send(target.head("PUT", file, size, "Content-Type: application/octet-stream\r\n"));
    for (std::uint64_t left = size; left > 0;) {
      std::uint64_t part = std::min<std::uint64_t>(left, text.size());
      connection.send(std::string_view(text).substr(0, part));
      left -= part;
    }
    Reply reply = connection.call("");
    if (reply.status != 200 && reply.status != 201) give_up(reply.body);
    return ms_since(start);
  };
  auto download = [&] {
    Clock::time_point start = Clock::now();
    connection.send(target.request("GET", file));
    if (connection.swallow(200) != size) give_up("the file has another size");
    return ms_since(start);
  };
  auto events = [&] {
    Clock::time_point start = Clock::now();
    connection.send(target.request("POST", "/api/v1/sessions/" + id + "/execute",
                                   R"({"command":["/bin/cat","/workspace/big"]})",
                                   "Accept: text/event-stream\r\n"));
    if (connection.swallow_events() < size) give_up("output is missing");
    return ms_since(start);
  };
  std::vector<Stream> streams{
      {"upload", upload}, {"download", download}, {"output as events", events}};
  double relayed = 0;
  for (int round = 0; round < (setting.quick ? 1 : 3); ++round) {
    relayed = std::max(relayed, static_cast<double>(size) / 1e3 / relay(size, text));
    for (Stream& stream : streams) stream.once(setting.server, size);
  }
  for (const Stream& stream : streams) {
    print_value(stream.name, "MB/s", stream.best);
    print_value(stream.name, "MB/s", relayed, "relay");
    print_value((std::string(stream.name) + ": growth of the server").c_str(), "KiB",
                stream.growth);
  }
  delete_session(connection, target, id);
  must_be(204, connection.call(target.request("DELETE", "/api/v1/templates/bench-streams")));
}

}  // namespace atl::bench
