#include "control/tar.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace atl::control {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::array<char, 2 * kBlock> kZeros{};
constexpr std::uint64_t kMaxOctal = (1ull << 33) - 1;  // eleven octal digits

struct Header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
  char magic[8], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(Header) == kBlock);

template <std::size_t N>
void put_octal(char (&field)[N], std::uint64_t value) {
  for (std::size_t i = N - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + value % 8);
}

template <std::size_t N>
bool put_text(char (&field)[N], std::string_view text) {
  std::memcpy(field, text.data(), std::min(N, text.size()));
  return text.size() <= N;
}

std::string finished(Header& header) {
  std::memcpy(header.magic, "ustar\00000", sizeof header.magic);
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned sum = 0;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (char byte : bytes) sum += static_cast<unsigned char>(byte);
  char digits[7] = {};
  put_octal(digits, sum);
  bytes.replace(offsetof(Header, checksum), 6, digits, 6);
  bytes[offsetof(Header, checksum) + 6] = '\0';
  return bytes;
}

// "LENGTH KEY=VALUE\n", where LENGTH counts itself.
std::string record(std::string_view key, std::string_view value) {
  std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  return std::to_string(length).append(" ").append(key).append("=").append(value).append("\n");
}

}  // namespace

std::string tar_header(const TarEntry& entry) {
  static constexpr char kTypes[] = {'0', '5', '2'};
  bool is_file = entry.kind == TarEntry::Kind::kFile;
  std::string name = entry.name + (entry.kind == TarEntry::Kind::kDirectory ? "/" : "");
  std::uint64_t size = is_file ? entry.size : 0;
  std::string extended;
  Header header{};
  if (!put_text(header.name, name)) extended += record("path", name);
  if (!put_text(header.link, entry.link_target)) extended += record("linkpath", entry.link_target);
  if (size > kMaxOctal) extended += record("size", std::to_string(size));
  put_octal(header.mode, entry.mode & 07777);
  put_octal(header.uid, 0);
  put_octal(header.gid, 0);
  put_octal(header.size, std::min(size, kMaxOctal));
  auto mtime = static_cast<std::uint64_t>(std::max<std::int64_t>(entry.mtime, 0));
  put_octal(header.mtime, std::min(mtime, kMaxOctal));
  header.type = kTypes[static_cast<std::size_t>(entry.kind)];
  if (extended.empty()) return finished(header);
  Header before{};
  put_text(before.name, "././@PaxHeader");
  put_octal(before.mode, 0644);
  put_octal(before.uid, 0);
  put_octal(before.gid, 0);
  put_octal(before.size, extended.size());
  put_octal(before.mtime, 0);
  before.type = 'x';
  std::string out = finished(before) + extended;
  out += tar_padding(extended.size());
  return out + finished(header);
}

std::string_view tar_padding(std::uint64_t size) {
  return {kZeros.data(), (kBlock - size % kBlock) % kBlock};
}

std::string_view tar_end() { return {kZeros.data(), kZeros.size()}; }

}  // namespace atl::control
