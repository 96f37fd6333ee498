#include "client/upload_body.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "http/multipart.hpp"

namespace atl::client {
namespace {

Task<Result<std::size_t>> give(std::shared_ptr<std::string> text, std::span<char> into) {
  std::size_t size = std::min<std::size_t>({text->size(), into.size(), 3});
  std::copy_n(text->begin(), size, into.begin());
  text->erase(0, size);
  co_return size;
}

SentFile file(std::string name, std::string text) {
  std::uint64_t size = text.size();
  auto left = std::make_shared<std::string>(std::move(text));
  return {std::move(name), size, [left](std::span<char> into) { return give(left, into); }};
}

Task<Result<std::string>> whole(UploadBody* body) {
  std::string all, buffer(7, '\0');
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await body->read(buffer));
    if (got == 0) co_return all;
    all += buffer.substr(0, got);
  }
}

Result<std::string> text_of(UploadBody& body) {
  return async::run_to_end<Result<std::string>>([&](async::Executor) { return whole(&body); });
}

TEST(UploadBody, TheServerReadsWhatWasSent) {
  std::vector<SentFile> files;
  files.push_back(file("a", "first"));
  files.push_back(file("d/\"é\".txt", "--b\r\n"));
  files.push_back(file("empty", ""));
  UploadBody body(std::move(files), "bb");
  Result<std::string> text = text_of(body);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), body.length());
  http::MultipartParser parser(*http::multipart_boundary(body.content_type()));
  parser.feed(*text);
  std::string seen;
  for (;;) {
    auto event = parser.next();
    ASSERT_TRUE(event);
    using Kind = http::MultipartEvent::Kind;
    if (event->kind == Kind::kPartBegin) seen += "[" + event->filename.value_or("?") + ":";
    if (event->kind == Kind::kData) seen += event->data;
    if (event->kind == Kind::kPartEnd) seen += "]";
    if (event->kind == Kind::kEnd || event->kind == Kind::kNeedMore) break;
  }
  EXPECT_TRUE(parser.finish());
  EXPECT_EQ(seen, "[a:first][d/\"é\".txt:--b\r\n][empty:]");
}

TEST(UploadBody, AFileThatBecameShorter) {
  std::vector<SentFile> files;
  files.push_back(file("a", "first"));
  files.front().size = 6;
  UploadBody body(std::move(files), "bb");
  Result<std::string> text = text_of(body);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), Code::kConflict);
}

}  // namespace
}  // namespace atl::client
