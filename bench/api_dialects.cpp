// The same call by REST and by each dialect, in turns and in the same session: what a dialect
// costs.
#include <algorithm>

#include "api.hpp"
#include "figures.hpp"

namespace atl::bench {
namespace {

struct Way {
  const char* name;
  std::string request;
  std::string_view expected;  // in the answer
  Connection connection;
  std::vector<double> times{};

  void once(bool counts) {
    Clock::time_point start = Clock::now();
    Reply reply = connection.call(request);
    double time = ms_since(start);
    if (reply.status < 200 || reply.status > 299 || reply.body.find(expected) == reply.body.npos) {
      give_up(std::string(name) + ": " + std::to_string(reply.status) + " " + reply.body);
    }
    if (counts) times.push_back(time);
  }
};

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

// The first way is REST's. The order rotates, so that nobody always goes first.
void in_turns(const char* name, std::vector<Way> ways, int rounds) {
  for (int round = -5; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      ways[(i + static_cast<std::size_t>(round + 5)) % ways.size()].once(round >= 0);
    }
  }
  double rest = median(ways.front().times);
  for (Way& way : ways) {
    double more = median(way.times) - rest;
    print_times(name, "in turns", std::move(way.times), way.name);
    if (&way == &ways.front()) continue;
    print_value((std::string(name) + ": more than by REST").c_str(), "ms", more, way.name);
  }
}

std::string envelope(const std::string& message) {
  auto size = static_cast<std::uint32_t>(message.size());
  std::string text(1, '\0');
  for (int shift : {24, 16, 8, 0}) text += static_cast<char>(size >> shift & 0xff);
  return text + message;
}

std::string form(const std::string& path, const std::string& content) {
  const std::string part = "--B\r\nContent-Disposition: form-data; name=";
  return part + "\"metadata\"; filename=\"metadata\"\r\n\r\n{\"path\":\"" + path + "\"}\r\n" +
         part + "\"file\"; filename=\"file\"\r\n\r\n" + content + "\r\n--B--\r\n";
}

class Dialects {
 public:
  explicit Dialects(const Setting& setting)
      : target_(setting.atoll), rounds_(setting.quick ? 100 : 1000), connection_(target_.port) {
    std::string made = must_be(201, connection_.call(target_.request("POST", "/v2/sandboxes",
                                                                     R"({"templateID":"base"})")));
    id_ = string_member(made, "sandboxID");
    envd_ = "E2b-Sandbox-Id: " + id_ +
            "\r\nX-Access-Token: " + string_member(made, "envdAccessToken") + "\r\n";
    rest_ = "/api/v1/sessions/" + id_;
    execd_ = "/sandboxes/" + id_ + "/proxy/44772";
  }
  ~Dialects() { delete_session(connection_, target_, id_); }
  Dialects(const Dialects&) = delete;
  Dialects& operator=(const Dialects&) = delete;

  void look() {
    in_turns("a sandbox is looked at",
             ways(way("REST", "GET", rest_, "", "", id_),
                  way("E2B", "GET", "/sandboxes/" + id_, "", "", id_),
                  way("OpenSandbox", "GET", "/v1/sandboxes/" + id_, "", "", id_)));
  }

  void command() {
    const std::string argv = R"(["/bin/bash","-l","-c","echo hi"])";
    const std::string start =
        envelope(R"({"process":{"cmd":"/bin/bash","args":["-l","-c","echo hi"]},"stdin":false})");
    in_turns("bash -l -c 'echo hi'",
             ways(way("REST", "POST", rest_ + "/execute", "{\"command\":" + argv + "}", kWait,
                      R"("exit_code":0)"),
                  way("E2B", "POST", "/process.Process/Start", start,
                      envd_ + "Content-Type: application/connect+json\r\n", "exit status 0"),
                  way("OpenSandbox", "POST", execd_ + "/command", "{\"argv\":" + argv + "}", "",
                      "execution_complete")));
  }

  void shell() {
    in_turns("echo hi in a shell", ways(way("REST", "POST", rest_ + "/execute",
                                            R"({"command":"echo hi"})", kWait, R"("exit_code":0)"),
                                        tool("run_command", R"("command":"echo hi")")));
  }

  void code() {
    std::string context = opened(rest_ + "/contexts", 201);
    std::string other = opened(execd_ + "/code/context", 200);
    in_turns(
        "1+1 in a live context",
        ways(way("REST", "POST", rest_ + "/execute",
                 R"({"code":"1+1","context":")" + context + "\"}", kWait, R"("state":"completed")"),
             way("E2B", "POST", "/execute", R"({"code":"1+1"})",
                 envd_ + "E2b-Sandbox-Port: 49999\r\n", "end_of_execution"),
             way("OpenSandbox", "POST", execd_ + "/code",
                 R"({"code":"1+1","context":{"id":")" + other + R"(","language":"python"}})", "",
                 "execution_complete"),
             tool("run_code", R"("code":"1+1")")));
  }

  void files() {
    const std::string text(1024, 'x');
    const std::string plain = "Content-Type: application/octet-stream\r\n";
    in_turns("1 KiB is written",
             ways(way("REST", "PUT", rest_ + "/files/f", text, plain, ""),
                  way("E2B", "POST", "/files?path=f", text, envd_ + plain, "\"file\""),
                  way("OpenSandbox", "POST", execd_ + "/files/upload", form("/workspace/f", text),
                      "Content-Type: multipart/form-data; boundary=B\r\n", "")));
    in_turns("1 KiB is read",
             ways(way("REST", "GET", rest_ + "/files/f", "", "", text),
                  way("E2B", "GET", "/files?path=f", "", envd_, text),
                  way("OpenSandbox", "GET", execd_ + "/files/download?path=/workspace/f", "", "",
                      text)));
  }

 private:
  static constexpr const char* kWait = "Prefer: wait=60\r\n";

  Way way(const char* name, std::string_view method, const std::string& path,
          const std::string& body, const std::string& more, std::string_view expected) const {
    bool typed = more.find("Content-Type") != more.npos || body.empty();
    std::string lines = more + (typed ? "" : "Content-Type: application/json\r\n");
    return {name, target_.head(method, path, body.size(), lines) + body, expected,
            Connection(target_.port)};
  }

  Way tool(const std::string& name, const std::string& arguments) const {
    std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
                       name + R"(","arguments":{)" + arguments + R"(,"sandbox_id":")" + id_ +
                       R"("},)" +
                       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
                       R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)" +
                       R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    return way("MCP", "POST", "/mcp", body,
               "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
               "Mcp-Method: tools/call\r\nMcp-Name: " +
                   name + "\r\nContent-Type: application/json\r\n",
               R"("status":"success")");
  }

  std::string opened(const std::string& path, int status) {
    return string_member(must_be(status, connection_.call(target_.request(
                                             "POST", path, R"({"language":"python"})"))),
                         "id");
  }

  template <typename... T>
  static std::vector<Way> ways(T... all) {
    std::vector<Way> list;
    (list.push_back(std::move(all)), ...);
    return list;
  }
  void in_turns(const char* name, std::vector<Way> list) {
    bench::in_turns(name, std::move(list), rounds_);
  }

  const Target& target_;
  int rounds_;
  Connection connection_;
  std::string id_, envd_, rest_, execd_;
};

}  // namespace

void measure_dialects(const Setting& setting) {
  Dialects dialects(setting);
  dialects.look();
  dialects.command();
  dialects.shell();
  dialects.code();
  dialects.files();
}

}  // namespace atl::bench
