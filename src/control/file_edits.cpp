// What is there, and text in files replaced by other text.
#include <utility>

#include "control/file_location.hpp"
#include "control/files.hpp"

namespace atl::control {

using async::Task;

namespace {

// How often `from` is in there; `text` has `to` instead. Nothing when it would be too long.
std::optional<std::size_t> replace_all(std::string& text, const std::string& from,
                                       const std::string& to) {
  std::string out;
  std::size_t count = 0;
  std::size_t at = 0;
  for (;;) {
    std::size_t found = text.find(from, at);
    if (found == text.npos) break;
    out.append(text, at, found - at).append(to);
    if (out.size() > Files::kMaxReplaced) return std::nullopt;
    at = found + from.size();
    ++count;
  }
  out.append(text, at);
  if (out.size() > Files::kMaxReplaced) return std::nullopt;
  if (count > 0) text = std::move(out);
  return count;
}

Error too_large() {
  return Error(Code::kTooLarge, "text is replaced in files of up to 16 MiB only");
}

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  Task<Result<std::optional<std::string>>> next() override {
    if (text_.empty()) co_return std::nullopt;
    co_return std::exchange(text_, {});
  }

 private:
  std::string text_;
};

Task<Result<std::string>> read_all(OpenedFile* file) {
  std::string text;
  ATOLL_CO_TRY(std::unique_ptr<ByteSource> source, co_await file->content(0, file->info().size));
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) co_return text;
    text += *piece;
  }
}

}  // namespace

Task<Result<model::File>> Files::info(Caller caller, SessionId id, std::string path) {
  ATOLL_CO_TRY(FileLocation location,
               co_await locate(std::move(caller), std::move(id), std::move(path)));
  ATOLL_CO_TRY(sandbox::FileInfo info, co_await location.sandbox().stat(location.path));
  info.path = location.path;
  co_return location.file(info);
}

Task<Result<ReplacedText>> Files::replace_text(Caller caller, SessionId id, ReplaceText request) {
  if (request.old_text.empty()) {
    co_return fail(Code::kInvalidValue, "the text to be replaced must not be empty");
  }
  ATOLL_CO_TRY(OpenedFile file, co_await open(caller, id, request.path));
  if (file.info().kind != model::File::Kind::kFile) {
    co_return fail(Code::kConflict, "this is not a regular file");
  }
  if (file.info().size > kMaxReplaced) co_return fail(too_large());
  ATOLL_CO_TRY(std::string text, co_await read_all(&file));
  std::optional<std::size_t> count = replace_all(text, request.old_text, request.new_text);
  if (!count) co_return fail(too_large());
  if (*count == 0) co_return ReplacedText{.file = file.info()};
  TextSource content(std::move(text));
  WriteFile write_request{.path = file.info().path, .mode = file.info().mode};
  ATOLL_CO_TRY(WrittenFile written, co_await write(std::move(caller), std::move(id),
                                                   std::move(write_request), &content));
  co_return ReplacedText{.file = std::move(written.file), .count = *count};
}

}  // namespace atl::control
