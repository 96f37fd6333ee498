// The pure parts that every protocol shares.
#include <gtest/gtest.h>

#include "api/common/id_name.hpp"
#include "api/common/limits.hpp"
#include "api/common/middleware.hpp"
#include "api/common/prefer.hpp"
#include "api/common/range.hpp"
#include "api/common/refusal.hpp"
#include "api/common/text.hpp"
#include "api/common/trace.hpp"
#include "control/box_path.hpp"
#include "control/tar.hpp"

namespace atl::api {
namespace {

using Kind = ByteRange::Kind;
using control::tar_end;
using control::tar_header;
using control::tar_padding;
using control::TarEntry;

TEST(Prefer, WaitWithAndWithoutSeconds) {
  EXPECT_FALSE(parse_prefer({}).wait);
  EXPECT_FALSE(parse_prefer({{"Prefer", "respond-async, waiting=3"}}).wait);
  EXPECT_TRUE(parse_prefer({{"Prefer", "wait"}}).wait);
  EXPECT_FALSE(parse_prefer({{"prefer", "wait"}}).seconds.has_value());
  EXPECT_EQ(parse_prefer({{"prefer", "respond-async, Wait=\"7\"; x"}}).seconds,
            std::chrono::seconds(7));
  EXPECT_EQ(parse_prefer({{"prefer", "wait=99999999999"}}).seconds, kMaxWait);
  EXPECT_FALSE(parse_prefer({{"prefer", "wait=soon"}}).wait);
}

TEST(IdName, IsThatOfTheCollection) {
  EXPECT_EQ(id_name("/api/v1/sessions/a/execute"), "session_id");
  EXPECT_EQ(id_name("/api/v1/workspace/se/execute/a"), "session_id");
  EXPECT_EQ(id_name("/api/v1/executions/a/stream"), "execution_id");
  EXPECT_EQ(id_name("/api/v1/result/a"), "execution_id");
  EXPECT_EQ(id_name("/api/v1/results/a"), "execution_id");
  EXPECT_EQ(id_name("/api/v1/templates/a"), "template_id");
  EXPECT_EQ(id_name("/api/v1/snapshots/a"), "snapshot_id");
  EXPECT_EQ(id_name("/api/v1/keys/a"), "key_id");
  EXPECT_EQ(id_name("/api/v1/runtimes/local/health"), "runtime_node");
  EXPECT_EQ(id_name("/health"), "session_id");
}

TEST(Prefer, AcceptNamesTheType) {
  EXPECT_TRUE(accepts({{"Accept", "text/html, Text/Event-Stream;q=0.5"}}, "text/event-stream"));
  EXPECT_FALSE(accepts({{"Accept", "*/*"}}, "text/event-stream"));
  for (std::string_view no : {";q=0", "; q=0.000", ";charset=utf-8; Q = 0."}) {
    std::string field = "text/html;q=1, text/event-stream" + std::string(no);
    EXPECT_FALSE(accepts({{"Accept", field}}, "text/event-stream")) << field;
  }
  for (std::string_view yes : {";q=0.001", ";q=1", ";q=", ";quality=0", ";q"}) {
    std::string field = "text/event-stream" + std::string(yes);
    EXPECT_TRUE(accepts({{"Accept", field}}, "text/event-stream")) << field;
  }
}

void expect_part(std::string_view value, std::uint64_t first, std::uint64_t last) {
  ByteRange range = parse_range(value, 100);
  EXPECT_EQ(range.kind, Kind::kPart) << value;
  EXPECT_EQ(range.first, first) << value;
  EXPECT_EQ(range.last, last) << value;
}

TEST(Range, Forms) {
  expect_part("bytes=0-0", 0, 0);
  expect_part("bytes=10-", 10, 99);
  expect_part("Bytes=90-1000", 90, 99);
  expect_part("bytes=-5", 95, 99);
  expect_part("bytes=-500", 0, 99);
  expect_part("bytes=7-99999999999999999999999", 7, 99);
  for (std::string_view whole :
       {"", "lines=1-2", "bytes=1-2,4-5", "bytes=5-1", "bytes=a-b", "bytes="}) {
    EXPECT_EQ(parse_range(whole, 100).kind, Kind::kWhole) << whole;
  }
  EXPECT_EQ(parse_range("bytes=100-", 100).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=99999999999999999999-", 100).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=-0", 100).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=0-", 0).kind, Kind::kUnsatisfiable);
}

TEST(Text, TimesOfRequests) {
  auto again = [](std::string_view text) {
    auto time = from_rfc3339(text);
    return time ? rfc3339(*time) : "";
  };
  EXPECT_EQ(again("2026-01-02T03:04:05.678Z"), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(again("2026-01-02t03:04:05z"), "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(again("2024-02-29T00:00:00.1234567+01:30"), "2024-02-28T22:30:00.123Z");
  EXPECT_EQ(again("2026-01-02T03:04:05-01:00"), "2026-01-02T04:04:05.000Z");
  // Beyond what nanoseconds in 64 bits hold; nothing on the way may count in them.
  EXPECT_EQ(again("9999-12-31T23:59:60.999Z"), "10000-01-01T00:00:00.999Z");
  EXPECT_EQ(again("9999-12-31T23:59:59-23:59"), "10000-01-01T23:58:59.000Z");
  EXPECT_EQ(again("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00.000Z");
  EXPECT_TRUE(from_rfc3339("0000-01-01T00:00:00+23:59"));
  for (std::string_view wrong :
       {"", "now", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05ZZ",
        "2026-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+01", "2026-1-2T03:04:05Z",
        "-026-01-02T03:04:05Z", "1767323045"}) {
    EXPECT_EQ(again(wrong), "") << wrong;
  }
}

TEST(BoxPath, InsideOfTheWorkspace) {
  EXPECT_EQ(control::box_path("a/./b//c", "/w"), "/w/a/b/c");
  EXPECT_EQ(control::box_path("", "/w"), "/w");
  EXPECT_EQ(control::box_path("/workspace/x", "/w"), "/w/x");
  EXPECT_EQ(control::box_path("/w/x", "/w"), "/w/x");
  EXPECT_EQ(control::box_path("/tmp/x", "/w"), "/tmp/x");
  EXPECT_EQ(control::box_path("..a/b..", "/w"), "/w/..a/b..");
  EXPECT_EQ(control::shown_path("/w/a/b", "/w"), "a/b");
  EXPECT_EQ(control::shown_path("/wide/a", "/w"), "/wide/a");
}

TEST(BoxPath, NowhereElse) {
  using namespace std::string_view_literals;
  for (std::string_view name : {"../x"sv, "a/../../x"sv, "/workspace/../etc"sv, "/etc/passwd"sv,
                                "/tmpx/y"sv, "/workspacex"sv, "a\0b"sv, "\xff"sv}) {
    auto path = control::box_path(name, "/w");
    EXPECT_FALSE(path.has_value()) << name;
  }
  EXPECT_FALSE(control::box_path(std::string(300, 'x'), "/w").has_value());
}

TEST(Text, TimesAndCodes) {
  model::Time time(std::chrono::milliseconds(1'767'323'045'678));
  EXPECT_EQ(rfc3339(time), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(http_date(time), "Fri, 02 Jan 2026 03:04:05 GMT");
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string("ab"), std::string("\0\xff\x7f", 3)}) {
    EXPECT_EQ(from_hex(hex(bytes)), bytes);
  }
  EXPECT_FALSE(to_number("-1").has_value());
  EXPECT_FALSE(to_number("99999999999999999999").has_value());
}

TEST(Tar, PlainHeader) {
  std::string header = tar_header({.name = "a.txt", .mode = 0640, .size = 5, .mtime = 8});
  ASSERT_EQ(header.size(), 512u);
  EXPECT_EQ(header.substr(0, 6), std::string("a.txt\0", 6));
  EXPECT_EQ(header.substr(100, 8), std::string("0000640\0", 8));
  EXPECT_EQ(header.substr(124, 12), std::string("00000000005\0", 12));
  EXPECT_EQ(header.substr(257, 8), std::string("ustar\00000", 8));
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  EXPECT_EQ(std::stoul(header.substr(148, 6), nullptr, 8), sum);
  EXPECT_EQ(tar_padding(5).size(), 507u);
  EXPECT_EQ(tar_padding(1024).size(), 0u);
  EXPECT_EQ(tar_end().size(), 1024u);
}

TEST(Tar, ExtendedHeaderForWhatDoesNotFit) {
  std::string name(150, 'n');
  std::string header = tar_header({.name = name, .size = 9'000'000'000});
  ASSERT_EQ(header.size(), 512u * 3);
  EXPECT_EQ(header[156], 'x');
  EXPECT_NE(header.find("160 path=" + name + "\n"), std::string::npos);
  EXPECT_NE(header.find("19 size=9000000000\n"), std::string::npos);
  EXPECT_EQ(tar_header({.kind = TarEntry::Kind::kDirectory, .name = "d"}).substr(0, 3),
            std::string("d/\0", 3));
}

TEST(Trace, OnlyWellFormedIds) {
  std::string trace = "0af7651916cd43dd8448eb211c80319c";
  EXPECT_EQ(trace_id_of("00-" + trace + "-b7ad6b7169203331-01"), trace);
  EXPECT_EQ(trace_id_of("cc-" + trace + "-b7ad6b7169203331-01-more"), trace);
  for (const std::string& bad :
       {std::string(), "00-" + trace, "ff-" + trace + "-b7ad6b7169203331-01",
        "00-" + trace + "-b7ad6b7169203331-01-more",
        "00-" + std::string(32, '0') + "-b7ad6b7169203331-01"}) {
    EXPECT_FALSE(trace_id_of(bad).has_value()) << bad;
  }
  EXPECT_EQ(make_trace_id().size(), 32u);
  EXPECT_TRUE(is_request_id("a-B_9.z"));
  EXPECT_FALSE(is_request_id("a b"));
  EXPECT_FALSE(is_request_id(std::string(129, 'a')));
}

TEST(Keys, WhereAKeyMayBe) {
  http::Request request;
  EXPECT_FALSE(shown_key(request).has_value());
  request.headers.add("OPEN-SANDBOX-API-KEY", "three");
  EXPECT_EQ(shown_key(request)->secret, "three");
  request.headers.add("X-API-Key", "two");
  EXPECT_EQ(shown_key(request)->secret, "two");
  request.headers.add("Authorization", "Basic zzz");
  EXPECT_EQ(shown_key(request)->secret, "two");
  request.headers.set("Authorization", "bearer one");
  EXPECT_EQ(shown_key(request)->secret, "one");
}

}  // namespace
}  // namespace atl::api
