// The pure parts: envelopes, protobuf, paths, signatures, results, network options.
#include <array>

#include <gtest/gtest.h>

#include "api/e2b/connect.hpp"
#include "api/e2b/environment_code.hpp"
#include "api/e2b/network.hpp"
#include "api/e2b/paths.hpp"
#include "api/e2b/protobuf.hpp"
#include "api/e2b/results.hpp"
#include "api/e2b/rpc.hpp"
#include "api/e2b/sandbox_notes.hpp"
#include "api/e2b/sandbox_request.hpp"
#include "api/e2b/signature.hpp"

namespace atl::api::e2b {
namespace {

object parsed(std::string_view text) { return codec::parse(text)->get_object(); }

TEST(Envelopes, ComeInPiecesOfAnySize) {
  std::string all = envelope(0, "first") + envelope(kEndOfStream, "{}");
  EnvelopeReader reader;
  std::vector<Envelope> seen;
  for (char byte : all) {
    reader.feed({&byte, 1});
    auto one = reader.next();
    ASSERT_TRUE(one);
    if (*one) seen.push_back(std::move(**one));
  }
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].data, "first");
  EXPECT_EQ(seen[0].flags, 0);
  EXPECT_EQ(seen[1].flags, kEndOfStream);
  EXPECT_TRUE(reader.empty());
}

TEST(Envelopes, AreRefusedBeforeTheirDataComes) {
  struct Bad {
    std::string head;
    Code code;
  };
  const std::array<Bad, 3> all = {{{std::string("\x01\0\0\0\1", 5), Code::kUnsupported},
                                   {std::string("\x40\0\0\0\1", 5), Code::kInvalidArgument},
                                   {std::string("\0\xff\xff\xff\xff", 5), Code::kTooLarge}}};
  for (const Bad& bad : all) {
    EnvelopeReader reader;
    reader.feed(bad.head);
    auto one = reader.next();
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().code(), bad.code);
  }
}

// The bytes are those of the reference implementation.
TEST(Protobuf, ReadsWhatOthersWrite) {
  std::string bytes(
      "\x0a\x12\x0a\x02ls\x12\x02-l\x1a\x08\x0a\x01"
      "A\x12\x03one\x20\x01",
      22);
  auto message = from_protobuf(kStartRequest, bytes);
  ASSERT_TRUE(message) << message.error().message();
  EXPECT_EQ(
      value(*message),
      value(parsed(R"({"process":{"cmd":"ls","args":["-l"],"envs":{"A":"one"}},"stdin":true})")));
}

TEST(Protobuf, GoesThereAndBack) {
  struct One {
    const MessageType& type;
    std::string json;
  };
  const One all[] = {
      {kProcessStream,
       R"({"event":{"end":{"exitCode":-1,"exited":true,"status":"exit status 1"}}})"},
      {kProcessStream, R"({"event":{"data":{"stdout":"AP8="}}})"},
      {kProcessStream, R"({"event":{"keepalive":{}}})"},
      {kSendSignalRequest, R"({"process":{"pid":7},"signal":"SIGNAL_SIGKILL"})"},
      {kUpdateRequest, R"({"process":{"tag":"t"},"pty":{"size":{"cols":80,"rows":24}}})"},
      {kEntryResponse,
       R"({"entry":{"name":"a","type":"FILE_TYPE_FILE","path":"/a","size":"5000000000","mode":420,)"
       R"("modifiedTime":"2026-01-02T03:04:05.000Z"}})"},
      {kWatcherEvents, R"({"events":[{"name":"a","type":"EVENT_TYPE_CREATE"}]})"}};
  for (const One& one : all) {
    object message = parsed(one.json);
    auto back = from_protobuf(one.type, to_protobuf(one.type, message));
    ASSERT_TRUE(back) << one.json;
    EXPECT_EQ(value(*back), value(message)) << one.json;
  }
}

TEST(Protobuf, RefusesWhatIsCutOrTooDeep) {
  for (std::string_view bad : {"\x0a", "\x0a\x05", "\x0a\xff\xff\xff\xff\x0f", "\x0b", "\x07",
                               "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x02\x00"}) {
    EXPECT_FALSE(from_protobuf(kStartRequest, bad)) << testing::PrintToString(bad);
  }
  EXPECT_FALSE(from_protobuf(kStartRequest, "\x0a\x04\x0a\x02\xff\xfe"));  // no UTF-8
}

TEST(Protobuf, SkipsFieldsThatItDoesNotKnow) {
  std::string bytes = std::string("\x78\x05\x7a\x01x\x7d\0\0\0\0\x79\0\0\0\0\0\0\0\0", 19);
  auto message = from_protobuf(kStartRequest, bytes);
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->empty());
}

TEST(Paths, OfTheHomeAreThoseOfTheWorkspace) {
  struct One {
    const char* given;
    const char* inside;
    bool by_home;
  };
  const One all[] = {{"", "/workspace", true},
                     {"a", "/workspace/a", true},
                     {"~/a", "/workspace/a", true},
                     {"/home/user", "/workspace", true},
                     {"/home/user/./a//b/../c", "/workspace/a/c", true},
                     {"/home/user2/a", "/home/user2/a", false},
                     {"../../etc/passwd", "/etc/passwd", false},
                     {"/workspace/a", "/workspace/a", false},
                     {"/tmp/../../..", "/", false}};
  for (const One& one : all) {
    ClientPath path = client_path(one.given);
    EXPECT_EQ(path.inside, one.inside) << one.given;
    EXPECT_EQ(path.by_home, one.by_home) << one.given;
  }
  EXPECT_EQ(client_path("x").shown("dir/x"), "/home/user/dir/x");
  EXPECT_EQ(client_path("/workspace").shown("dir/x"), "/workspace/dir/x");
  EXPECT_EQ(client_path("/tmp/x").shown("/tmp/x"), "/tmp/x");
}

http::Request link_request(std::string expiration) {
  http::Request request{.method = http::Method::kGet, .path = "/files"};
  request.query = {{"path", "a.txt"}, {"signature", ""}};
  if (!expiration.empty()) request.query.emplace_back("signature_expiration", expiration);
  return request;
}

TEST(SignedLinks, AreWhatClientsCompute) {
  // sha256("a.txt:read::token:2000000000"), base64 without padding.
  auto now = std::chrono::system_clock::time_point(std::chrono::seconds(1'900'000'000));
  auto link = signed_link(link_request("2000000000"), now);
  ASSERT_TRUE(link);
  std::string right = signature_of(*link, "token");
  EXPECT_EQ(right.substr(0, 3), "v1_");
  EXPECT_EQ(right.size(), 3u + 43u);
  link->signature = right;
  EXPECT_TRUE(link->is_signed_with("token"));
  EXPECT_FALSE(link->is_signed_with("other"));
  link->operation = "write";
  EXPECT_FALSE(link->is_signed_with("token"));
}

TEST(SignedLinks, TakeNoExpirationThatAClockCannotHold) {
  auto now = std::chrono::system_clock::now();
  for (const char* bad : {"x", "-1", "1e9", "99999999999999999999", " 1"}) {
    EXPECT_FALSE(signed_link(link_request(bad), now)) << bad;
  }
  EXPECT_TRUE(signed_link(link_request("9223372036854775807"), now));
  EXPECT_TRUE(signed_link(link_request("18446744073709551615"), now));
  auto past = signed_link(link_request("1"), now);
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().error.code(), Code::kUnauthenticated);
}

TEST(Results, AreLinesOfAscii) {
  std::string line = result_line(true, R"({"text/plain":"'ü𝄞'","image/png":"AA==","x/y":1})");
  for (char byte : line) EXPECT_LT(static_cast<unsigned char>(byte), 0x80);
  ASSERT_TRUE(line.ends_with("\n"));
  EXPECT_EQ(value(parsed(line)),
            value(parsed("{\"type\":\"result\",\"is_main_result\":true,\"text\":\"ü𝄞\","
                         "\"png\":\"AA==\",\"extra\":{\"x/y\":1}}")));
  EXPECT_EQ(value(parsed(error_line(R"({"ename":"E","evalue":"v","traceback":["a","b"]})"))),
            value(parsed(R"({"type":"error","name":"E","value":"v","traceback":"a\nb"})")));
}

TEST(Results, ABundleThatIsNoneIsAnEmptyResult) {
  for (const char* bad : {"", "[]", "{", "null"}) {
    EXPECT_EQ(value(parsed(result_line(false, bad))),
              value(parsed(R"({"type":"result","is_main_result":false})")));
  }
}

TEST(EnvironmentCode, QuotesWhatItIsGiven) {
  auto bash = with_variables("bash", "echo $A", {{"A", "it's $(rm -rf /)"}});
  ASSERT_TRUE(bash);
  EXPECT_EQ(*bash, "export A='it'\\''s $(rm -rf /)'; echo $A");
  auto python = with_variables("python", "x", {{"A", "\"\\\n"}});
  ASSERT_TRUE(python);
  EXPECT_EQ(*python, R"(__import__('os').environ.update({"A":"\"\\\n"});x)");
  EXPECT_FALSE(with_variables("r", "x", {{"A", "b"}}));
  EXPECT_FALSE(with_variables("bash", "x", {{"A=B", "b"}}));
}

TEST(Network, SaysNothingWhereTheClientDoesNot) {
  EXPECT_FALSE(*network_of(nullptr, std::nullopt));
  EXPECT_FALSE(*network_of(nullptr, true));
  auto off = network_of(nullptr, false);
  ASSERT_TRUE(off && *off);
  EXPECT_FALSE(model::allows_anything((*off)->policy));
}

TEST(Network, AllowedTargetsWinOverDeniedOnes) {
  object body = parsed(R"({"allowOut":["example.com"],"denyOut":["0.0.0.0/0"]})");
  auto request = network_of(&body, std::nullopt);
  ASSERT_TRUE(request && *request);
  const model::NetworkPolicy& policy = (*request)->policy;
  ASSERT_EQ(policy.rules.size(), 2u);
  EXPECT_EQ(policy.rules[0].target, "example.com");
  EXPECT_EQ(policy.rules[0].action, model::NetworkAction::kAllow);
  EXPECT_EQ(policy.rules[1].target, "*");
  EXPECT_EQ(policy.rules[1].action, model::NetworkAction::kDeny);
  object proxy = parsed(R"({"egressProxy":{"address":"a:1"}})");
  EXPECT_FALSE(network_of(&proxy, std::nullopt));
}

TEST(Notes, ComeBackFromMetadata) {
  SandboxNotes notes{.template_name = "base", .auto_pause = true, .allow_internet = false};
  SandboxNotes back = notes_of({.metadata_json = to_metadata(notes)});
  EXPECT_EQ(back.template_name, "base");
  EXPECT_TRUE(back.auto_pause);
  EXPECT_FALSE(back.auto_resume);
  EXPECT_EQ(back.allow_internet, false);
  EXPECT_EQ(notes_of({.metadata_json = R"({"e2b":[1]})"}).template_name, "");
}

TEST(SandboxNames, ComeByHeaderOrByHost) {
  http::Request request;
  PreviewHost envd{.session = "abc", .port = 49983, .loopback = true};
  PreviewHost page{.session = "abc", .port = 3000, .loopback = true};
  EXPECT_FALSE(sandbox_named(request, std::nullopt));
  EXPECT_FALSE(sandbox_named(request, page));
  EXPECT_EQ(sandbox_named(request, envd)->id, "abc");
  request.headers.set("E2b-Sandbox-Id", "xyz");
  EXPECT_EQ(sandbox_named(request, envd)->id, "xyz");
  EXPECT_EQ(sandbox_named(request, std::nullopt)->port, 49983);
  request.headers.set("E2b-Sandbox-Port", "49999");
  EXPECT_EQ(sandbox_named(request, std::nullopt)->port, 49999);
  request.headers.set("E2b-Sandbox-Port", "99999999999999999999");
  EXPECT_EQ(sandbox_named(request, std::nullopt)->port, 0);
}

TEST(SandboxNames, AreLeftToTheTokenByOldClients) {
  auto request = [](std::string path, http::Headers headers) {
    http::Request made;
    made.path = std::move(path);
    made.headers = std::move(headers);
    return made;
  };
  http::Headers token{{"X-Access-Token", "t"}};
  EXPECT_TRUE(names_by_token(request("/files", token)));
  EXPECT_TRUE(names_by_token(request("/health", token)));
  EXPECT_TRUE(names_by_token(request("/process.Process/List", token)));
  EXPECT_FALSE(names_by_token(request("/metrics", token)));
  EXPECT_FALSE(names_by_token(request("/sandboxes", token)));
  EXPECT_FALSE(names_by_token(request("/health", {})));
  EXPECT_FALSE(names_by_token(request("/files", {{"X-API-Key", "k"}})));
  token.set("E2b-Sandbox-Id", "abc");
  EXPECT_FALSE(names_by_token(request("/health", token)));
}

TEST(Timeouts, AreMillisecondsWithAFractionOrNone) {
  using std::chrono::milliseconds;
  auto timeout = [](std::string text) {
    http::Request request;
    request.headers.set("Connect-Timeout-Ms", text);
    return timeout_of(request);
  };
  EXPECT_EQ(*timeout_of(http::Request()), std::nullopt);
  EXPECT_EQ(*timeout("0"), std::nullopt);
  EXPECT_EQ(*timeout("0.0"), std::nullopt);
  EXPECT_EQ(*timeout("60000"), milliseconds(60000));
  EXPECT_EQ(*timeout(" 500.0 "), milliseconds(500));
  EXPECT_EQ(*timeout("0.25"), milliseconds(1));
  for (const char* bad :
       {"", ".", "5.", ".5", "1.x", "1.0.0", "1e3", "-1.0", "99999999999999999.0"}) {
    EXPECT_FALSE(timeout(bad)) << bad;
  }
}

TEST(Members, TakeNoNumberOutOfRange) {
  for (const char* bad : {"-1", "1e300", "1e400", "\"1\"", "9223372036854775808", "true", "3601"}) {
    auto body = codec::parse(std::string(R"({"n":)") + bad + "}");
    if (!body) continue;
    EXPECT_FALSE(number_member(body->get_object(), "n", 0, 3600)) << bad;
  }
  object good = parsed(R"({"n":15.0})");
  EXPECT_EQ(*number_member(good, "n", 0, 3600), 15u);
  object absent = parsed(R"({"n":null})");
  EXPECT_EQ(*number_member(absent, "n", 0, 3600), std::nullopt);
}

}  // namespace
}  // namespace atl::api::e2b
