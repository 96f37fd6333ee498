#include "contexts/message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace atl::contexts {

namespace {

struct WordRow {
  std::string_view name;
  Word word;
  std::size_t most;  // bytes of its body
};

constexpr std::array kWords{
    WordRow{"ready", Word::kReady, kMaxText},       WordRow{"stdout", Word::kStdout, kMaxText},
    WordRow{"stderr", Word::kStderr, kMaxText},     WordRow{"result", Word::kResult, kMaxBundle},
    WordRow{"display", Word::kDisplay, kMaxBundle}, WordRow{"error", Word::kError, kMaxBundle},
    WordRow{"done", Word::kDone, kMaxText},         WordRow{"settle", Word::kSettle, 0},
};

std::unexpected<Error> broken(std::string what) { return fail(Code::kProtocol, std::move(what)); }

// The header at the end of `line`, which may have a body's rest before it.
std::string_view header_at_end(std::string_view line) {
  std::size_t digits = line.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || line[digits] != ' ') return {};
  std::string_view before = line.substr(0, digits);
  for (const WordRow& row : kWords) {
    if (before.ends_with(row.name)) return line.substr(digits - row.name.size());
  }
  return {};
}

}  // namespace

std::string run_message(std::string_view code) {
  std::string message = "run " + std::to_string(code.size()) + "\n";
  message += code;
  return message;
}

// True when a header was found and the body begins.
bool MessageReader::search(std::string_view& bytes) {
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    header_ += bytes.substr(0, end);
    if (header_.size() > kMaxHeader) header_.erase(0, header_.size() - kMaxHeader);
    if (end == std::string_view::npos) {
      bytes = {};
      return false;
    }
    bytes.remove_prefix(end + 1);
    header_ = header_at_end(header_);
    if (!header_.empty() && understand(header_)) {
      header_ += '\n';
      return true;
    }
    header_.clear();
  }
  return false;
}

Result<bool> MessageReader::read_header(std::string_view& bytes) {
  std::size_t end = bytes.find('\n');
  std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
  if (header_.size() + size > kMaxHeader) return broken("a header is too long");
  header_ += bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (end == std::string_view::npos) return false;
  ATOLL_CHECK(understand(std::string_view(header_).substr(0, header_.size() - 1)));
  return true;
}

Result<void> MessageReader::understand(std::string_view line) {
  std::size_t space = line.find(' ');
  std::string_view name = line.substr(0, space);
  auto row = std::ranges::find(kWords, name, &WordRow::name);
  if (space == std::string_view::npos || row == kWords.end()) return broken("a header is unknown");
  std::string_view number = line.substr(space + 1);
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), length_);
  if (error != std::errc() || end != number.data() + number.size()) {
    return broken("a header has no length");
  }
  if (length_ > row->most) return broken("a message is too large");
  message_.word = row->word;
  message_.body.reserve(length_);
  return {};
}

Result<std::optional<Message>> MessageReader::next(std::string_view& bytes) {
  if (searching_) {
    if (!search(bytes)) return std::nullopt;
    searching_ = false;
    in_body_ = true;
  }
  if (!in_body_) {
    if (bytes.empty()) return std::nullopt;
    ATOLL_TRY(in_body_, read_header(bytes));
    if (!in_body_) return std::nullopt;
  }
  std::size_t size = std::min(bytes.size(), length_ - message_.body.size());
  message_.body += bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (message_.body.size() < length_) return std::nullopt;
  in_body_ = false;
  header_.clear();
  return std::exchange(message_, {});
}

}  // namespace atl::contexts
