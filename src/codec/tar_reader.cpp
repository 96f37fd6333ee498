#include "codec/tar_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace atl::codec {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMaxExtended = 64 * 1024;

std::unexpected<Error> broken(const char* why) {
  return fail(Code::kProtocol, std::string("the archive is damaged: ") + why);
}

std::string text_at(std::string_view block, std::size_t from, std::size_t size) {
  std::string_view field = block.substr(from, size);
  return std::string(field.substr(0, field.find('\0')));
}

std::optional<std::uint64_t> octal_at(std::string_view block, std::size_t from, std::size_t size) {
  std::string text = text_at(block, from, size);
  while (text.ends_with(' ')) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool sum_fits(std::string_view block) {
  constexpr std::size_t kSumAt = 148;
  constexpr std::size_t kSumSize = 8;
  unsigned sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    bool inside = i >= kSumAt && i < kSumAt + kSumSize;
    sum += inside ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return octal_at(block, kSumAt, kSumSize) == sum;
}

TarEntry::Kind kind_of(char type) {
  switch (type) {
    case '0':
    case '\0': return TarEntry::Kind::kFile;
    case '2': return TarEntry::Kind::kLink;
    case '5': return TarEntry::Kind::kFolder;
    default: return TarEntry::Kind::kOther;
  }
}

std::uint64_t padding_of(std::uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

}  // namespace

Result<TarReader::Event> TarReader::next(std::string_view& input) {
  while (!ended_) {
    if (left_ > 0) {
      if (input.empty()) return Event::kMore;
      content_ =
          input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size())));
      input.remove_prefix(content_.size());
      left_ -= content_.size();
      return Event::kContent;
    }
    if (std::exchange(open_, false)) return Event::kDone;
    if (padding_ > 0) {
      if (input.empty()) return Event::kMore;
      auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(padding_, input.size()));
      input.remove_prefix(skipped);
      padding_ -= skipped;
      continue;
    }
    std::size_t part = std::min(wanted_ - held_.size(), input.size());
    held_ += input.substr(0, part);
    input.remove_prefix(part);
    if (held_.size() < wanted_) return Event::kMore;
    if (extending_) {
      ATOLL_CHECK(take_extended());
      continue;
    }
    ATOLL_TRY(Event event, take_header());
    if (event != Event::kMore) return event;
  }
  return Event::kEnd;
}

// kMore: it only announced another one.
Result<TarReader::Event> TarReader::take_header() {
  std::string block = std::exchange(held_, {});
  if (block.find_first_not_of('\0') == std::string::npos) {
    ended_ = true;
    return Event::kEnd;
  }
  if (!sum_fits(block)) return broken("a checksum is wrong");
  auto size = octal_at(block, 124, 12);
  auto mode = octal_at(block, 100, 8);
  if (!size || !mode) return broken("a field is not a number");
  char type = block[156];
  if (type == 'x' || type == 'g') {
    if (*size == 0 || *size > kMaxExtended) return broken("a header is too long");
    extending_ = true;
    wanted_ = static_cast<std::size_t>(*size);
    return Event::kMore;
  }
  TarEntry said = std::exchange(extended_, {});
  bool sized = std::exchange(has_size_, false);
  std::string prefix = text_at(block, 345, 155);
  std::string name = text_at(block, 0, 100);
  entry_ = {.kind = kind_of(type),
            .name = prefix.empty() ? name : prefix + "/" + name,
            .mode = static_cast<std::uint32_t>(*mode & 0777),
            .size = sized ? said.size : *size,
            .target = text_at(block, 157, 100)};
  if (!said.name.empty()) entry_.name = std::move(said.name);
  if (!said.target.empty()) entry_.target = std::move(said.target);
  left_ = entry_.size;
  padding_ = padding_of(left_);
  open_ = entry_.kind == TarEntry::Kind::kFile;
  return Event::kEntry;
}

// "LENGTH KEY=VALUE\n", one after the other.
Result<void> TarReader::take_extended() {
  std::string all = std::exchange(held_, {});
  padding_ = padding_of(all.size());
  extending_ = false;
  wanted_ = kBlock;
  for (std::string_view rest = all; !rest.empty();) {
    std::size_t length = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    auto digits = static_cast<std::size_t>(end - rest.data());
    bool fits = error == std::errc() && length <= rest.size() && length > digits + 2 &&
                rest[digits] == ' ' && rest[length - 1] == '\n';
    std::string_view record = fits ? rest.substr(digits + 1, length - digits - 2) : "";
    std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return broken("a record has no form");
    rest.remove_prefix(length);
    std::string_view key = record.substr(0, equals);
    std::string_view text = record.substr(equals + 1);
    if (key == "path") extended_.name = text;
    if (key == "linkpath") extended_.target = text;
    if (key == "size") {
      auto read = std::from_chars(text.data(), text.data() + text.size(), extended_.size);
      if (read.ec != std::errc()) return broken("a field is not a number");
      has_size_ = true;
    }
  }
  return {};
}

}  // namespace atl::codec
