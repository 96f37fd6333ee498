#include "api/mcp/resources.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/mcp/content.hpp"
#include "api/mcp/tools.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"
#include "http/uri.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

constexpr std::string_view kScheme = "atoll://";
constexpr std::string_view kOwn = "default";
constexpr std::size_t kListed = 100;
constexpr std::uint32_t kDepthListed = 8;
constexpr std::uint64_t kReadMost = 4u << 20;

std::unexpected<Fault> invalid(std::string why) {
  return std::unexpected(Fault{.code = kInvalidParams, .message = std::move(why)});
}

std::unexpected<Fault> fault_of(const Error& error) {
  return std::unexpected(Fault{.code = kInternalError,
                               .message = error.message(),
                               .data = object{{"code", code_name(error.code())}}});
}

// Each era has its own number for it.
std::unexpected<Fault> not_found(const Call& call, std::string_view uri) {
  return std::unexpected(Fault{.code = call.modern ? kInvalidParams : kResourceNotFound,
                               .message = "Resource not found",
                               .data = object{{"uri", json_text(uri)}}});
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::expected<std::string, Fault> text_member(const object& params, std::string_view name) {
  const json::value* value = params.if_contains(name);
  if (value == nullptr) return std::string();
  const json::string* text = value->if_string();
  if (text == nullptr || text->size() > 3 * kMaxPath) {
    return invalid(std::string(name) + " must be a text of a sensible length");
  }
  return std::string(text->data(), text->size());
}

json::array views_of(const std::string& sandbox, const model::FilePage& page) {
  json::array resources;
  for (const model::File& file : page.files) {
    if (file.kind != model::File::Kind::kFile || !is_utf8(file.path)) continue;
    resources.emplace_back(object{{"uri", file_uri(sandbox, file.path)},
                                  {"name", name_of(file.path)},
                                  {"title", file.path},
                                  {"mimeType", mime_type(file.path)},
                                  {"size", file.size}});
  }
  return resources;
}

object content_of(std::string_view uri, std::string_view path, std::string bytes) {
  object content{{"uri", uri}, {"mimeType", mime_type(path)}};
  bool text = is_utf8(bytes) && !bytes.contains('\0');
  if (text) {
    content["text"] = bytes;
  } else {
    content["blob"] = codec::base64(bytes);
  }
  return content;
}

// A folder reads as the list of what is in it.
Task<Outcome> read_folder(CallPtr call, SessionId session, std::string uri, std::string path) {
  Result<model::FilePage> page = co_await call->control().files().list(
      call->caller, std::move(session), {.path = std::move(path), .limit = kMaxListing});
  if (!page) co_return fault_of(page.error());
  std::string text;
  for (const model::File& file : page->files) {
    text += file.path + (file.kind == model::File::Kind::kDirectory ? "/\n" : "\n");
  }
  object content{{"uri", uri}, {"mimeType", "text/plain"}, {"text", json_text(to_utf8(text))}};
  co_return object{{"contents", json::array{std::move(content)}}};
}

}  // namespace

std::optional<FileUri> parse_file_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  std::size_t slash = uri.find('/');
  std::string_view sandbox = uri.substr(0, slash);
  std::string_view rest = slash == uri.npos ? std::string_view() : uri.substr(slash + 1);
  bool legal =
      !sandbox.empty() && sandbox.size() <= kMaxName && std::ranges::all_of(sandbox, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
      });
  std::optional<std::string> path = http::percent_decode(rest);
  if (!legal || !path || path->size() > kMaxPath || path->contains('\0')) return std::nullopt;
  return FileUri{.sandbox = std::string(sandbox), .path = std::move(*path)};
}

std::string file_uri(std::string_view sandbox, std::string_view path) {
  std::string uri(kScheme);
  uri.append(sandbox);
  for (std::string_view segment : split(path, '/')) {
    uri += '/';
    uri += http::percent_encode(segment);
  }
  return uri;
}

std::string_view mime_type(std::string_view path) {
  struct Ending {
    std::string_view ending, type;
  };
  static constexpr std::array kEndings{
      Ending{".txt", "text/plain"},        Ending{".md", "text/markdown"},
      Ending{".py", "text/x-python"},      Ending{".js", "text/javascript"},
      Ending{".ts", "text/typescript"},    Ending{".sh", "text/x-shellscript"},
      Ending{".json", "application/json"}, Ending{".csv", "text/csv"},
      Ending{".html", "text/html"},        Ending{".xml", "application/xml"},
      Ending{".yaml", "application/yaml"}, Ending{".yml", "application/yaml"},
      Ending{".png", "image/png"},         Ending{".jpg", "image/jpeg"},
      Ending{".jpeg", "image/jpeg"},       Ending{".gif", "image/gif"},
      Ending{".webp", "image/webp"},       Ending{".svg", "image/svg+xml"},
      Ending{".pdf", "application/pdf"},   Ending{".log", "text/plain"}};
  for (const Ending& one : kEndings) {
    if (path.ends_with(one.ending)) return one.type;
  }
  return "application/octet-stream";
}

// Nothing is made for a list: a client without a sandbox has no files.
Task<Outcome> list_resources(CallPtr call) {
  auto cursor = text_member(call->message.params, "cursor");
  if (!cursor) co_return std::unexpected(std::move(cursor).error());
  std::optional<std::string> after = from_hex(*cursor);
  if (!after) co_return invalid("unknown cursor");
  auto session = call->control().default_sandboxes().find(call->caller, call->sandbox);
  if (!session) co_return object{{"resources", json::array()}};
  Result<model::FilePage> page = co_await call->control().files().list(call->caller, *session,
                                                                       {.path = {},
                                                                        .depth = kDepthListed,
                                                                        .glob = {},
                                                                        .contains = {},
                                                                        .after = std::move(*after),
                                                                        .limit = kListed});
  if (!page) co_return fault_of(page.error());
  object result{{"resources", views_of(session->str(), *page)}};
  if (!page->next.empty()) result["nextCursor"] = hex(page->next);
  co_return result;
}

Task<Outcome> list_templates(CallPtr) {
  object own{{"uriTemplate", "atoll://default/{+path}"},
             {"name", "own-file"},
             {"title", "A file of this client's own sandbox"},
             {"description", "path is relative to /workspace; without one it is a listing."}};
  object any{{"uriTemplate", "atoll://{sandbox_id}/{+path}"},
             {"name", "sandbox-file"},
             {"title", "A file of a sandbox"},
             {"description", "path is relative to /workspace; without one it is a listing."}};
  co_return object{{"resourceTemplates", json::array{std::move(own), std::move(any)}}};
}

Task<Outcome> read_resource(CallPtr call) {
  auto uri = text_member(call->message.params, "uri");
  if (!uri) co_return std::unexpected(std::move(uri).error());
  if (uri->empty()) co_return invalid("params.uri is required");
  std::optional<FileUri> named = parse_file_uri(*uri);
  if (!named) co_return not_found(*call, *uri);
  SessionId session(named->sandbox);
  if (named->sandbox == kOwn) {
    auto own = call->control().default_sandboxes().find(call->caller, call->sandbox);
    if (!own) co_return not_found(*call, *uri);
    session = std::move(*own);
  }
  Result<control::OpenedFile> file =
      co_await call->control().files().open(call->caller, session, named->path);
  if (!file) {
    Code code = file.error().code();
    bool missing = code == Code::kNotFound || code == Code::kSessionNotFound ||
                   code == Code::kInvalidArgument || code == Code::kForbidden;
    if (missing) co_return not_found(*call, *uri);
    co_return fault_of(file.error());
  }
  if (file->info().kind == model::File::Kind::kDirectory) {
    co_return co_await read_folder(std::move(call), std::move(session), std::move(*uri),
                                   std::move(named->path));
  }
  if (file->info().size > kReadMost) {
    co_return invalid("the file is larger than 4 MiB: read it with the tool file_read");
  }
  Result<std::string> bytes = co_await read_bytes(&*file, 0, file->info().size);
  if (!bytes) co_return fault_of(bytes.error());
  json::array contents{content_of(*uri, named->path, std::move(*bytes))};
  co_return object{{"contents", std::move(contents)}};
}

}  // namespace atl::api::mcp
