#include "store/sealer.hpp"

#include <gtest/gtest.h>

namespace atl::store {
namespace {

TEST(Sealer, OpensWhatItSealed) {
  StorageKey key = StorageKey::random().value();
  Sealer sealer({key});
  for (std::string text : {std::string(), std::string("secret"), std::string(100'000, '\0')}) {
    std::string sealed = sealer.seal(text, "row/1").value();
    EXPECT_EQ(sealer.open(sealed, "row/1").value(), text);
    EXPECT_NE(sealer.seal(text, "row/1").value(), sealed);  // another nonce
    EXPECT_EQ(key_of(sealed), key.id());
  }
}

TEST(Sealer, RefusesWhatWasChangedOrMoved) {
  Sealer sealer({StorageKey::random().value()});
  std::string sealed = sealer.seal("secret", "row/1").value();
  EXPECT_FALSE(sealer.open(sealed, "row/2"));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(sealer.open(changed, "row/1")) << i;
  }
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(sealer.open(sealed.substr(0, size), "row/1")) << size;
  }
}

TEST(Sealer, OlderKeysOpenAndDoNotSeal) {
  StorageKey old = StorageKey::random().value();
  StorageKey fresh = StorageKey::random().value();
  std::string sealed = Sealer({old}).seal("secret", "row/1").value();
  Sealer both({fresh, old});
  EXPECT_EQ(both.open(sealed, "row/1").value(), "secret");
  EXPECT_FALSE(both.is_newest(sealed));
  EXPECT_TRUE(both.is_newest(both.seal("secret", "row/1").value()));
  EXPECT_FALSE(Sealer({fresh}).open(sealed, "row/1"));
  EXPECT_FALSE(Sealer({}).seal("secret", "row/1"));
}

TEST(Sealer, KeysAsText) {
  StorageKey key = StorageKey::random().value();
  EXPECT_EQ(StorageKey::parse(key.hex()).value(), key);
  for (std::string text : {std::string(), std::string(63, 'a'), std::string(64, 'g')}) {
    EXPECT_FALSE(StorageKey::parse(text)) << text;
  }
}

}  // namespace
}  // namespace atl::store
