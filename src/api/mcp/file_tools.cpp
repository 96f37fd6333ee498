// file_read, file_write, file_edit, file_list and file_search.
#include <algorithm>
#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "api/mcp/content.hpp"
#include "api/mcp/tools.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"

namespace atl::api::mcp {

namespace {

constexpr std::uint64_t kReadDefault = 64u << 10;
constexpr std::uint64_t kReadMost = 1u << 20;
constexpr std::uint64_t kPictureMost = 5u << 20;  // whole, or not as a picture
constexpr std::uint64_t kEditMost = 8u << 20;
constexpr std::uint64_t kListDefault = 200;
constexpr std::uint64_t kListMost = 1000;

struct ReadArguments {
  std::string path;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(ReadArguments, (), (path, offset, limit, sandbox_id))

struct WriteArguments {
  std::string path;
  std::string content;
  std::optional<std::string> encoding;
  std::optional<bool> executable;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(WriteArguments, (), (path, content, encoding, executable, sandbox_id))

struct EditArguments {
  std::string path;
  std::string old_text;
  std::string new_text;
  std::optional<bool> replace_all;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(EditArguments, (), (path, old_text, new_text, replace_all, sandbox_id))

struct ListArguments {
  std::optional<std::string> path;
  std::optional<std::uint64_t> depth;
  std::optional<std::string> glob;
  std::optional<std::string> contains;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(ListArguments, (), (path, depth, glob, contains, limit, cursor, sandbox_id))

Task<Answer<control::OpenedFile>> open_file(CallPtr call, SessionId session, std::string path) {
  ATOLL_CO_CHECK(check_words(path, "/path", kMaxPath));
  ATOLL_CO_TRY(control::OpenedFile file,
               co_await call->control().files().open(call->caller, std::move(session), path));
  if (file.info().kind != model::File::Kind::kFile) {
    co_return refuse(Code::kConflict, path + " is a folder: use file_list");
  }
  co_return file;
}

// Text ends with a whole line where it does not end with the file.
std::size_t whole_lines(std::string_view text) {
  std::size_t end = text.rfind('\n');
  return end == text.npos ? text.size() : end + 1;
}

void add_text(std::string bytes, std::uint64_t offset, std::uint64_t size, ToolResult& result) {
  if (offset + bytes.size() < size) bytes.resize(whole_lines(bytes));
  // A character that is cut at the end is no reason to call it binary.
  std::string_view whole = bytes;
  for (int cut = 0; cut < 3 && !is_utf8(whole) && !whole.empty(); ++cut) whole.remove_suffix(1);
  bool text = is_utf8(whole) && !whole.contains('\0') && (!whole.empty() || bytes.empty());
  if (text && offset + bytes.size() < size) bytes.resize(whole.size());
  text = text && is_utf8(bytes);
  std::uint64_t next = offset + bytes.size();
  std::string shown = text ? bytes : codec::base64(bytes);
  result.data["content"] = json_text(shown);
  result.data["encoding"] = text ? "utf-8" : "base64";
  result.data["next_offset"] = next;
  result.data["truncated"] = next < size;
  result.text = shown.empty() ? "(empty)" : std::move(shown);
  if (next >= size) return;
  result.text += "\n(" + std::to_string(size - next) +
                 " more bytes: file_read with offset=" + std::to_string(next) + ")";
}

Task<Answer<void>> add_picture(control::OpenedFile* file, std::string_view type,
                               ToolResult* result) {
  std::uint64_t size = file->info().size;
  ATOLL_CO_TRY(std::string bytes, co_await read_bytes(file, 0, size));
  result->pictures.emplace_back(picture(codec::base64(bytes), type));
  result->data["encoding"] = "image";
  result->data["next_offset"] = size;
  result->data["truncated"] = false;
  result->text =
      file->info().path + ", " + std::string(type) + ", " + std::to_string(size) + " bytes";
  co_return Answer<void>();
}

std::string_view kind_name(model::File::Kind kind) {
  switch (kind) {
    case model::File::Kind::kFile: return "file";
    case model::File::Kind::kDirectory: return "directory";
    case model::File::Kind::kSymlink: return "symlink";
    case model::File::Kind::kOther: return "other";
  }
  return "other";
}

// As `ls` shows them, one a line.
std::string listing_text(const model::FilePage& page) {
  std::string text;
  for (const model::File& file : page.files) {
    text += file.path;
    if (file.kind == model::File::Kind::kDirectory) text += '/';
    if (file.kind == model::File::Kind::kSymlink) text += " -> " + file.target;
    if (file.kind == model::File::Kind::kFile) text += "  " + std::to_string(file.size);
    text += '\n';
  }
  if (text.empty()) return "(nothing)";
  if (page.truncated) text += "(there is more: go on with next_cursor)\n";
  return to_utf8(text);
}

ToolResult listing(const SessionId& session, const model::FilePage& page) {
  ToolResult result{.summary = std::to_string(page.files.size()) + " entries",
                    .text = listing_text(page)};
  boost::json::array files;
  for (const model::File& file : page.files) {
    files.emplace_back(object{
        {"path", json_text(file.path)}, {"kind", kind_name(file.kind)}, {"size", file.size}});
  }
  result.data = {{"sandbox_id", session.str()},
                 {"path", json_text(page.path)},
                 {"files", std::move(files)},
                 {"truncated", page.truncated}};
  if (!page.next.empty()) result.data["next_cursor"] = hex(page.next);
  return result;
}

Task<Answer<ToolResult>> list_files(CallPtr call, ListArguments wanted, bool search) {
  control::ListFiles request{.path = std::move(wanted.path).value_or(""),
                             .depth = 1,
                             .glob = std::move(wanted.glob).value_or(""),
                             .contains = std::move(wanted.contains).value_or(""),
                             .after = {}};
  ATOLL_CO_CHECK(check_words(request.path, "/path", kMaxPath));
  ATOLL_CO_CHECK(check_words(request.glob, "/glob", kMaxName));
  ATOLL_CO_CHECK(check_words(request.contains, "/contains", kMaxPath));
  if (search && request.glob.empty() && request.contains.empty()) {
    co_return refuse_field("/glob", "or `contains` is required");
  }
  if (!search) request.glob = request.contains = "";
  ATOLL_CO_TRY(std::uint64_t depth, number_or(wanted.depth, 1, 1, api::kMaxDepth, "/depth"));
  request.depth = static_cast<std::uint32_t>(depth);
  ATOLL_CO_TRY(request.limit, number_or(wanted.limit, kListDefault, 1, kListMost, "/limit"));
  std::optional<std::string> after = from_hex(wanted.cursor.value_or(""));
  if (!after)
    co_return refuse_value("/cursor", "is unknown: send the next_cursor of an earlier answer");
  request.after = std::move(*after);
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  ATOLL_CO_TRY(model::FilePage page,
               co_await call->control().files().list(call->caller, target.id, std::move(request)));
  ToolResult result = listing(target.id, page);
  result.notice = std::move(target.notice);
  co_return result;
}

// How often it was replaced; 0 when it is not there.
std::size_t replace(std::string& text, const EditArguments& edit, bool all) {
  std::size_t count = 0;
  for (std::size_t at = text.find(edit.old_text); at != text.npos;) {
    text.replace(at, edit.old_text.size(), edit.new_text);
    ++count;
    if (!all || text.size() > 4 * kEditMost) break;
    at = text.find(edit.old_text, at + edit.new_text.size());
  }
  return count;
}

}  // namespace

Task<Answer<ToolResult>> file_read(CallPtr call, object arguments) {
  ATOLL_CO_TRY(ReadArguments wanted, read_arguments<ReadArguments>(arguments));
  ATOLL_CO_TRY(std::uint64_t limit, number_or(wanted.limit, kReadDefault, 1, kReadMost, "/limit"));
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  ATOLL_CO_TRY(control::OpenedFile file,
               co_await open_file(call, target.id, std::move(wanted.path)));
  std::uint64_t size = file.info().size;
  std::uint64_t offset = std::min(wanted.offset.value_or(0), size);
  std::uint64_t length = std::min(limit, size - offset);
  ToolResult result{.summary = "Read " + file.info().path, .notice = std::move(target.notice)};
  result.data = {
      {"sandbox_id", target.id.str()}, {"path", json_text(file.info().path)}, {"size", size}};
  ATOLL_CO_TRY(std::string bytes, co_await read_bytes(&file, offset, length));
  auto type = offset == 0 ? picture_type(bytes) : std::nullopt;
  if (type && size <= kPictureMost) {
    ATOLL_CO_CHECK(co_await add_picture(&file, *type, &result));
  } else {
    add_text(std::move(bytes), offset, size, result);
  }
  co_return result;
}

Task<Answer<ToolResult>> file_write(CallPtr call, object arguments) {
  ATOLL_CO_TRY(WriteArguments wanted, read_arguments<WriteArguments>(arguments));
  ATOLL_CO_CHECK(check_words(wanted.path, "/path", kMaxPath));
  std::string encoding = wanted.encoding.value_or("utf-8");
  if (encoding == "base64") {
    std::optional<std::string> bytes = codec::from_base64(wanted.content);
    if (!bytes) co_return refuse_value("/content", "is not base64");
    wanted.content = std::move(*bytes);
  } else if (encoding != "utf-8") {
    co_return refuse_value("/encoding", "must be utf-8 or base64");
  }
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  std::uint64_t size = wanted.content.size();
  TextSource source(std::move(wanted.content));
  control::WriteFile request{.path = std::move(wanted.path),
                             .mode = wanted.executable.value_or(false) ? 0755u : 0644u};
  ATOLL_CO_TRY(
      control::WrittenFile written,
      co_await call->control().files().write(call->caller, target.id, std::move(request), &source));
  ToolResult result{.summary = "Wrote " + std::to_string(size) + " bytes to " + written.file.path,
                    .notice = std::move(target.notice)};
  result.data = {{"sandbox_id", target.id.str()},
                 {"path", json_text(written.file.path)},
                 {"size", size},
                 {"created", written.is_new}};
  result.text = result.summary;
  co_return result;
}

Task<Answer<ToolResult>> file_edit(CallPtr call, object arguments) {
  ATOLL_CO_TRY(EditArguments wanted, read_arguments<EditArguments>(arguments));
  if (wanted.old_text.empty()) co_return refuse_value("/old_text", "must not be empty");
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  std::string text;
  std::uint32_t mode = 0;
  {
    ATOLL_CO_TRY(control::OpenedFile file, co_await open_file(call, target.id, wanted.path));
    if (file.info().size > kEditMost) {
      co_return refuse(Code::kTooLarge, "the file is larger than 8 MiB: edit it with run_command");
    }
    mode = file.info().mode & 0777u;
    ATOLL_CO_TRY(text, co_await read_bytes(&file, 0, file.info().size));
  }
  bool all = wanted.replace_all.value_or(false);
  std::size_t first = text.find(wanted.old_text);
  if (first == text.npos) co_return refuse(Code::kNotFound, "old_text is not in the file");
  if (!all && text.find(wanted.old_text, first + 1) != text.npos) {
    co_return refuse(Code::kConflict,
                     "old_text is in the file more than once: give more of what is around it, or "
                     "replace_all");
  }
  std::size_t count = replace(text, wanted, all);
  if (text.size() > 4 * kEditMost) co_return refuse(Code::kTooLarge, "the file would be too large");
  std::uint64_t size = text.size();
  TextSource source(std::move(text));
  ATOLL_CO_TRY(control::WrittenFile written,
               co_await call->control().files().write(
                   call->caller, target.id, {.path = wanted.path, .mode = mode}, &source));
  ToolResult result{.summary = "Replaced " + std::to_string(count) + " in " + written.file.path,
                    .notice = std::move(target.notice)};
  result.data = {{"sandbox_id", target.id.str()},
                 {"path", json_text(written.file.path)},
                 {"replacements", count},
                 {"size", size}};
  result.text = result.summary;
  co_return result;
}

Task<Answer<ToolResult>> file_list(CallPtr call, object arguments) {
  ATOLL_CO_TRY(ListArguments wanted, read_arguments<ListArguments>(arguments));
  co_return co_await list_files(std::move(call), std::move(wanted), false);
}

Task<Answer<ToolResult>> file_search(CallPtr call, object arguments) {
  ATOLL_CO_TRY(ListArguments wanted, read_arguments<ListArguments>(arguments));
  co_return co_await list_files(std::move(call), std::move(wanted), true);
}

}  // namespace atl::api::mcp
