#include "http/multipart.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace atl::http {
namespace {

// Everything the parser says about `body`, fed in pieces of `step` bytes.
std::string run(std::string_view body, std::size_t step, MultipartLimits limits = {}) {
  MultipartParser parser("XyZ", limits);
  std::string out;
  bool in_data = false;
  for (std::size_t at = 0; at < body.size(); at += step) {
    parser.feed(body.substr(at, step));
    for (;;) {
      Result<MultipartEvent> event = parser.next();
      if (!event) return out + "!" + std::string(code_name(event.error().code()));
      if (event->kind == MultipartEvent::Kind::kNeedMore) break;
      if (event->kind == MultipartEvent::Kind::kPartBegin) {
        out += "<" + event->name + "|" + event->filename.value_or("-") + ">";
      } else if (event->kind == MultipartEvent::Kind::kData) {
        EXPECT_FALSE(event->data.empty());
        out += event->data;
      } else {
        out += event->kind == MultipartEvent::Kind::kPartEnd ? ";" : "END";
      }
      in_data = event->kind == MultipartEvent::Kind::kData;
    }
  }
  (void)in_data;
  return parser.finish() ? out : out + "?";
}

std::string part(const std::string& parameters, const std::string& data) {
  return "--XyZ\r\nContent-Disposition: form-data; " + parameters + "\r\n\r\n" + data + "\r\n";
}

const std::string kEnd = "--XyZ--\r\n";

TEST(Multipart, IsTheSameInPiecesOfAnySize) {
  std::string body = part("name=\"a\"; filename=\"x.txt\"", "one\r\n--XyX\r\n--Xy") +
                     part("name=b", "") + part("name=\"c\"", "\r\n\r\r\n-") + kEnd;
  std::string wanted = "<a|x.txt>one\r\n--XyX\r\n--Xy;<b|->;<c|->\r\n\r\r\n-;END";
  for (std::size_t step = 1; step <= body.size(); ++step) EXPECT_EQ(run(body, step), wanted);
}

TEST(Multipart, TellsACutBodyFromAWholeOne) {
  std::string body = part("name=a", "data") + kEnd;
  for (std::size_t size = 0; size + 4 < body.size(); ++size) {
    std::string said = run(body.substr(0, size), 5);
    EXPECT_TRUE(said.ends_with('?')) << size << " " << said;
  }
  EXPECT_EQ(run(body.substr(0, body.size() - 2), 5), "<a|->data;END");
}

TEST(Multipart, ReadsNamesAsBrowsersWriteThem) {
  EXPECT_EQ(run(part("name=\"a\"; filename=\"C:\\\\x \\\"y\\\".txt\"", "") + kEnd, 100),
            "<a|C:\\x \"y\".txt>;END");
  EXPECT_EQ(run(part("name=\"a%22b\"; filename=\"€;.txt\"", "") + kEnd, 100), "<a\"b|€;.txt>;END");
  EXPECT_EQ(run(part("name=a; filename=x; filename*=UTF-8''%e2%82%ac", "") + kEnd, 100),
            "<a|€>;END");
}

TEST(Multipart, RefusesWhatIsNotStrict) {
  for (const std::string& body : std::vector<std::string>{
           "preamble\r\n" + part("name=a", "") + kEnd,
           "--XyZ \r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n" + kEnd,
           "--XyZ\r\n\r\ndata\r\n" + kEnd,
           "--XyZ\r\nContent-Type: text/plain\r\n\r\ndata\r\n" + kEnd,
           "--XyZ\r\nContent-Disposition: attachment; name=a\r\n\r\ndata\r\n" + kEnd,
           "--XyZ\r\nContent-Disposition: form-data; name=a\r\n folded\r\n\r\ndata\r\n" + kEnd,
           part("name=a; name=b", ""),
           part("filename=a", ""),
           part("name=\"a", ""),
           part("name=\"\xff\"", ""),
           part("name=a; filename*=latin1''x", ""),
           part("name=a\r\nContent-Transfer-Encoding: base64", ""),
           part("name=a", "") + kEnd + "epilogue",
           part("name=a", "") + "--XyZ-x",
       }) {
    EXPECT_TRUE(run(body, 7).ends_with("!invalid_argument")) << body << "\n" << run(body, 7);
  }
}

TEST(Multipart, BoundsHeadersAndParts) {
  std::string large = "--XyZ\r\nX-Large: " + std::string(9000, 'x');
  EXPECT_EQ(run(large, 100), "!too_large");
  std::string many = "--XyZ\r\n";
  for (int i = 0; i < 20; ++i) many += "X-A: b\r\n";
  EXPECT_EQ(run(many + "\r\n", 100), "!too_large");
  EXPECT_EQ(run(part("name=a", "") + part("name=b", "") + kEnd, 100, {.parts = 1}),
            "<a|->;!too_large");
}

TEST(Multipart, FindsTheBoundary) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=abc").value(), "abc");
  EXPECT_EQ(multipart_boundary("Multipart/Form-Data; charset=x; boundary=\"a b\"").value(), "a b");
  EXPECT_EQ(multipart_boundary("application/json").error().code(), Code::kUnsupported);
  for (const char* text :
       {"multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"a\r\"", "multipart/form-data; boundary=\"a \""}) {
    EXPECT_EQ(multipart_boundary(text).error().code(), Code::kInvalidArgument) << text;
  }
  std::string long_one = "multipart/form-data; boundary=" + std::string(71, 'a');
  EXPECT_EQ(multipart_boundary(long_one).error().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace atl::http
