#include "http/head.hpp"

#include <array>
#include <charconv>
#include <ctime>

namespace atl::http {

namespace {

bool is_ours(std::string_view name) {
  switch (name.size()) {
    case 4: return same_name(name, "date");
    case 10: return same_name(name, "connection") || same_name(name, "keep-alive");
    case 14: return same_name(name, "content-length");
    case 17: return same_name(name, "transfer-encoding");
    default: return false;
  }
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 24> text;
  auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

}  // namespace

void append_field(std::string& out, std::string_view name, std::string_view value) {
  ((out += name) += ": ") += value;
  out += "\r\n";
}

void append_fields(std::string& out, const Headers& headers) {
  for (const Headers::Field& field : headers) {
    if (!is_ours(field.name)) append_field(out, field.name, field.value);
  }
}

std::string_view date_now() {
  thread_local std::time_t known = 0;
  thread_local std::array<char, 32> text;
  thread_local std::size_t size = 0;
  std::time_t now = std::time(nullptr);
  if (now != known) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    known = now;
  }
  return {text.data(), size};
}

void append_head(std::string& out, const ResponseHead& head) {
  out += "HTTP/1.1 ";
  append_number(out, head.status);
  ((out += ' ') += status_text(head.status)) += "\r\n";
  append_field(out, "Date", date_now());
  if (head.headers != nullptr) append_fields(out, *head.headers);
  if (head.more != nullptr) {
    for (const Headers::Field& field : *head.more) {
      bool given = head.headers != nullptr && head.headers->has(field.name);
      if (!given && !is_ours(field.name)) append_field(out, field.name, field.value);
    }
  }
  if (head.length) {
    out += "Content-Length: ";
    append_number(out, *head.length);
    out += "\r\n";
  }
  if (head.chunked) append_field(out, "Transfer-Encoding", "chunked");
  if (head.persistence == Persistence::kClose) append_field(out, "Connection", "close");
  if (head.persistence == Persistence::kKeepAlive) append_field(out, "Connection", "keep-alive");
  out += "\r\n";
}

}  // namespace atl::http
