#include "store/sealer.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>

#include "codec/sha256.hpp"

namespace atl::store {
namespace {

// A byte for the format, the key's id, the nonce, the text, the tag.
constexpr char kFormat = 1;
constexpr std::size_t kIdSize = 8, kNonceSize = 12, kTagSize = 16;
constexpr std::size_t kHeadSize = 1 + kIdSize + kNonceSize;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char* bytes_of(char* text) { return reinterpret_cast<unsigned char*>(text); }
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
int size_of(std::string_view text) { return static_cast<int>(text.size()); }

std::unexpected<Error> cannot(const char* what) {
  return fail(Code::kInternal, std::string("a stored value cannot be ") + what);
}

// A cipher that has its key, its nonce and the name of the row.
Cipher prepared(const StorageKey& key, std::string_view nonce, std::string_view place, int seal) {
  Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int size = 0;
  bool good = cipher &&
              EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(),
                                bytes_of(nonce), seal) == 1 &&
              EVP_CipherUpdate(cipher.get(), nullptr, &size, bytes_of(place), size_of(place)) == 1;
  if (!good) cipher.reset();
  return cipher;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string StorageKey::id() const {
  codec::Sha256 sum;
  sum.add("atoll storage key ");
  sum.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return sum.hex().substr(0, kIdSize);
}

std::string StorageKey::hex() const {
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Result<StorageKey> StorageKey::random() {
  StorageKey key;
  if (RAND_bytes(key.bytes.data(), static_cast<int>(key.bytes.size())) == 1) return key;
  return fail(Code::kInternal, "cannot read random bytes");
}

Result<StorageKey> StorageKey::parse(std::string_view hex) {
  StorageKey key;
  bool good = hex.size() == 2 * key.bytes.size();
  for (std::size_t i = 0; good && i < key.bytes.size(); ++i) {
    int high = digit_of(hex[2 * i]);
    int low = digit_of(hex[2 * i + 1]);
    good = high >= 0 && low >= 0;
    key.bytes[i] = static_cast<unsigned char>(high * 16 + low);
  }
  if (good) return key;
  return fail(Code::kInvalidArgument, "a storage key must be 64 hexadecimal digits");
}

Result<std::string> Sealer::seal(std::string_view text, std::string_view place) const {
  if (keys_.empty()) return cannot("encrypted: there is no storage key");
  std::string sealed = kFormat + keys_.front().id();
  sealed.resize(kHeadSize + text.size() + kTagSize);
  unsigned char* nonce = bytes_of(sealed.data()) + 1 + kIdSize;
  if (RAND_bytes(nonce, kNonceSize) != 1) return fail(Code::kInternal, "cannot read random bytes");
  std::string_view head = std::string_view(sealed).substr(1 + kIdSize, kNonceSize);
  Cipher cipher = prepared(keys_.front(), head, place, 1);
  unsigned char* out = bytes_of(sealed.data()) + kHeadSize;
  int size = 0;
  int rest = 0;
  bool good =
      cipher && EVP_CipherUpdate(cipher.get(), out, &size, bytes_of(text), size_of(text)) == 1 &&
      EVP_CipherFinal_ex(cipher.get(), out + size, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, out + text.size()) == 1;
  if (!good) return cannot("encrypted");
  return sealed;
}

Result<std::string> Sealer::open(std::string_view sealed, std::string_view place) const {
  std::string id = key_of(sealed);
  auto key = std::ranges::find_if(keys_, [&](const StorageKey& one) { return one.id() == id; });
  if (id.empty() || key == keys_.end()) return cannot("decrypted: its storage key is missing");
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  std::string_view hidden = sealed.substr(kHeadSize, sealed.size() - kHeadSize - kTagSize);
  Cipher cipher = prepared(*key, sealed.substr(1 + kIdSize, kNonceSize), place, 0);
  std::string text(hidden.size(), '\0');
  int size = 0;
  int rest = 0;
  bool good = cipher &&
              EVP_CipherUpdate(cipher.get(), bytes_of(text.data()), &size, bytes_of(hidden),
                               size_of(hidden)) == 1 &&
              EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagSize, tag.data()) == 1 &&
              EVP_CipherFinal_ex(cipher.get(), bytes_of(text.data()) + size, &rest) == 1;
  if (!good) return cannot("decrypted: it was changed, or belongs to another row");
  return text;
}

bool Sealer::is_newest(std::string_view sealed) const {
  return !keys_.empty() && key_of(sealed) == keys_.front().id();
}

std::string key_of(std::string_view sealed) {
  if (sealed.size() < kHeadSize + kTagSize || sealed.front() != kFormat) return {};
  return std::string(sealed.substr(1, kIdSize));
}

}  // namespace atl::store
