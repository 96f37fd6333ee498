#include "http/disposition.hpp"

#include <algorithm>

#include "http/multipart.hpp"
#include "http/uri.hpp"

namespace atl::http {

namespace {

std::string_view skip_space(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t");
  return text.substr(std::min(at, text.size()));
}

std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool is_token_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 127 &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 127; });
}

// A quoted string at the front of `text`. Only \" and \\ are escapes: browsers send the
// backslashes of file names as they are.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    bool escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (escape) ++i;
    out += text[i];
  }
  return std::nullopt;
}

// Browsers write a quote, CR and LF in names as %22, %0D and %0A, and nothing else that way.
std::string unescape_form(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "%22") {
      out += '"';
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<std::string> decode_extended(std::string_view text) {
  constexpr std::string_view kCharset = "utf-8''";
  if (!same_name(text.substr(0, kCharset.size()), kCharset)) return std::nullopt;
  return percent_decode(text.substr(kCharset.size()));
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> parse_parameters(
    std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (;;) {
    text = skip_space(text);
    if (text.empty()) return out;
    if (text.front() != ';') return std::nullopt;
    text = skip_space(text.substr(1));
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_token_text(text.substr(0, equals))) {
      return std::nullopt;
    }
    std::string name(text.substr(0, equals));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    text.remove_prefix(equals + 1);
    std::optional<std::string> value;
    if (text.starts_with('"')) {
      value = take_quoted(text);
    } else {
      std::string_view plain = trim_end(text.substr(0, text.find(';')));
      if (is_token_text(plain)) value = std::string(plain);
      text.remove_prefix(plain.size());
    }
    if (!value) return std::nullopt;
    bool twice = std::ranges::any_of(out, [&](const auto& one) { return one.first == name; });
    if (twice) return std::nullopt;
    out.emplace_back(std::move(name), std::move(*value));
  }
}

bool add_part_header(Headers& headers, std::string_view line) {
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || has_control(line)) return false;
  std::string_view name = line.substr(0, colon);
  if (!is_token_text(name)) return false;
  std::size_t before = headers.size();
  headers.add(name, trim_end(skip_space(line.substr(colon + 1))));
  return headers.size() == before + 1;
}

std::optional<Disposition> part_disposition(const Headers& headers) {
  if (headers.count("content-disposition") != 1) return std::nullopt;
  std::string_view text = headers.get("content-disposition");
  std::size_t end = std::min(text.find(';'), text.size());
  if (!same_name(trim_end(text.substr(0, end)), "form-data")) return std::nullopt;
  auto parameters = parse_parameters(text.substr(end));
  if (!parameters) return std::nullopt;
  Disposition out;
  bool named = false;
  bool extended = false;
  for (auto& [key, value] : *parameters) {
    if (key == "name") {
      out.name = unescape_form(value);
      named = true;
    } else if (key == "filename" && !extended) {
      out.filename = unescape_form(value);
    } else if (key == "filename*") {
      out.filename = decode_extended(value);
      if (!out.filename) return std::nullopt;
      extended = true;
    }
  }
  bool clean = is_clean_text(out.name) && (!out.filename || is_clean_text(*out.filename));
  if (!named || !clean) return std::nullopt;
  return out;
}

Result<std::string> multipart_boundary(std::string_view content_type) {
  std::size_t end = std::min(content_type.find(';'), content_type.size());
  if (!same_name(trim_end(content_type.substr(0, end)), "multipart/form-data")) {
    return fail(Code::kUnsupported, "the body must be multipart/form-data");
  }
  auto parameters = parse_parameters(content_type.substr(end));
  if (parameters) {
    for (auto& [key, value] : *parameters) {
      constexpr std::string_view kOthers = "'()+_,-./:=? ";
      bool good = !value.empty() && value.size() <= 70 && value.back() != ' ' &&
                  std::ranges::all_of(value, [&](char c) {
                    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || kOthers.find(c) != std::string_view::npos;
                  });
      if (key == "boundary" && good) return std::move(value);
    }
  }
  return fail(Code::kInvalidArgument, "the Content-Type has no proper boundary");
}

}  // namespace atl::http
