#include "egress/request_edits.hpp"

#include <gtest/gtest.h>

#include "base/field_error.hpp"
#include "codec/base64.hpp"

namespace atl::egress {
namespace {

const std::string kOne = "atoll_secret_00112233445566778899aabbccddeeff";
const std::string kTwo = "atoll_secret_ffeeddccbbaa99887766554433221100";

struct Case {
  model::NetworkPolicy policy;
  Secrets secrets;

  Case() {
    policy.secrets.push_back({"ONE", "one", {"a.test"}});
    policy.secrets.push_back({"TWO", "two", {"*.b.test"}});
    policy.headers["a.test"]["X-Set"] = {.value = "exact"};
    policy.headers["*.test"]["X-Set"] = {.value = "wide"};
    policy.headers["*.test"]["X-Key"] = {.secret = "one"};
    policy.no_intercept = {"closed.test"};
    secrets.values = {{"one", codec::base64("value 1")}, {"two", codec::base64("value 2")}};
    secrets.placeholders = {{"ONE", kOne}, {"TWO", kTwo}};
  }

  Result<RequestEdits> make() const {
    Result<Policy> compiled = compile(policy);
    EXPECT_TRUE(compiled);
    return RequestEdits::make(*compiled, secrets);
  }

  std::string field_of_failure() const {
    Result<RequestEdits> made = make();
    return made ? "" : std::string(field_of(made.error()));
  }
};

HttpHead head_with(std::vector<std::pair<std::string, std::string>> fields) {
  return {.method = "GET", .target = "/", .fields = std::move(fields)};
}

TEST(RequestEdits, PutValuesWhereTheyBelong) {
  RequestEdits edits = *Case().make();
  HttpHead head = head_with({{"A", kOne}, {"a", "x" + kOne}, {"B", kTwo}});
  Edited edited = edits.edit(head, "a.test", true, true);
  EXPECT_EQ(head.fields[0].second, "value 1");
  EXPECT_EQ(head.fields[1].second, "xvalue 1");
  EXPECT_EQ(head.fields[2].second, kTwo);
  EXPECT_TRUE(edited.left);
  EXPECT_EQ(edits.variable_of(edited.placeholder), "TWO");
  EXPECT_FALSE(edited.in_clear || edited.too_large || edited.in_target);

  head = head_with({{"A", kOne}, {"B", kTwo}});
  edits.edit(head, "x.b.test", true, true);
  EXPECT_EQ(head.fields[0].second, kOne);
  EXPECT_EQ(head.fields[1].second, "value 2");
}

TEST(RequestEdits, SetHeadersOnceAndTheMostExactWins) {
  RequestEdits edits = *Case().make();
  HttpHead head = head_with({{"x-set", "mine"}, {"X-SET", "again"}, {"x-key", "guess"}});
  edits.edit(head, "a.test", true, true);
  EXPECT_EQ(head.count("x-set"), 1u);
  EXPECT_EQ(*head.find("x-set"), "exact");
  EXPECT_EQ(*head.find("x-key"), "value 1");
  edits.edit(head, "other.test", true, true);
  EXPECT_EQ(*head.find("x-set"), "wide");
}

TEST(RequestEdits, LeaveOtherHostsAlone) {
  RequestEdits edits = *Case().make();
  HttpHead head = head_with({{"A", kOne}, {"X-Set", "mine"}});
  Edited edited = edits.edit(head, "a.test", false, true);
  EXPECT_EQ(head.fields[0].second, kOne);
  EXPECT_EQ(head.fields[1].second, "mine");
  EXPECT_TRUE(edited.left);
}

TEST(RequestEdits, SendNoSecretInClear) {
  RequestEdits edits = *Case().make();
  HttpHead head = head_with({{"A", kOne}});
  EXPECT_TRUE(edits.edit(head, "a.test", true, false).in_clear);
  EXPECT_EQ(head.fields[0].second, kOne);
  // A header rule with a secret counts without a placeholder as well.
  head = head_with({});
  EXPECT_TRUE(edits.edit(head, "other.test", true, false).in_clear);
  Case text;
  text.policy.headers["*.test"].erase("X-Key");
  edits = *text.make();
  head = head_with({});
  EXPECT_FALSE(edits.edit(head, "other.test", true, false).in_clear);
  EXPECT_EQ(*head.find("x-set"), "wide");
}

TEST(RequestEdits, TellOfPlaceholdersInTargets) {
  RequestEdits edits = *Case().make();
  HttpHead head = head_with({});
  head.target = "/?t=" + kOne + "x";
  EXPECT_TRUE(edits.edit(head, "a.test", true, true).in_target);
  EXPECT_EQ(head.target, "/?t=" + kOne + "x");
}

TEST(RequestEdits, BoundWhatValuesAdd) {
  Case large;
  large.secrets.values["one"] = codec::base64(std::string(60'000, 'v'));
  RequestEdits edits = *large.make();
  HttpHead head = head_with({{"A", kOne + kOne}, {"B", kOne}});
  EXPECT_FALSE(edits.edit(head, "a.test", true, true).too_large);
  head = head_with({{"A", kOne + kOne + kOne}, {"B", kOne + kOne}});
  EXPECT_TRUE(edits.edit(head, "a.test", true, true).too_large);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += kOne;
  head = head_with({{"Authorization", "Basic " + codec::base64(many)}});
  EXPECT_TRUE(edits.edit(head, "a.test", true, true).too_large);
}

TEST(RequestEdits, NeedAllThatThePolicyNames) {
  EXPECT_EQ(Case().field_of_failure(), "");
  Case missing;
  missing.secrets.values.erase("two");
  EXPECT_EQ(missing.field_of_failure(), "/secrets/1/secret");
  missing = Case();
  missing.secrets.values.erase("one");
  EXPECT_EQ(missing.field_of_failure(), "/headers/*.test/X-Key/secret");
  missing = Case();
  missing.secrets.placeholders.erase("TWO");
  EXPECT_EQ(missing.field_of_failure(), "/secrets/1/env");
  for (const char* bad :
       {"", "atoll_secret_", "x", "atoll_secret_0011223344556677889900AABBCCDDEE"}) {
    missing = Case();
    missing.secrets.placeholders["ONE"] = bad;
    EXPECT_EQ(missing.field_of_failure(), "/secrets/0/env") << bad;
  }
  for (const char* bad : {"!", "a\n", "YQ", "YQp="}) {
    missing = Case();
    missing.secrets.values["two"] = bad;
    EXPECT_EQ(missing.field_of_failure(), "/secrets/1/secret") << bad;
  }
  missing = Case();
  missing.secrets.values["two"] = codec::base64("a\r\nX: b");
  EXPECT_EQ(missing.field_of_failure(), "/secrets/1/secret");
}

TEST(SealedText, KeepsWhatItWasGiven) {
  std::optional<SealedText> empty = SealedText::of(""), text = SealedText::of("value");
  ASSERT_TRUE(empty && text);
  EXPECT_EQ(empty->view(), "");
  SealedText moved = std::move(*text);
  EXPECT_EQ(moved.view(), "value");
}

}  // namespace
}  // namespace atl::egress
