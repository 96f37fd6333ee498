#include "codec/json.hpp"

#include <limits>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <gtest/gtest.h>

namespace atl::codec {

// Described types must live in a named namespace.
enum class Level { kAllow, kAskFirst, kDeny };
BOOST_DESCRIBE_ENUM(Level, kAllow, kAskFirst, kDeny)

struct Inner {
  std::int32_t count = 0;
  std::optional<std::uint8_t> small;
  bool operator==(const Inner&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (count, small))

struct Outer {
  std::string image;
  std::vector<std::string> command;
  std::optional<int> memory_mb;
  std::map<std::string, std::string> env;
  std::vector<Inner> inner;
  Level level = Level::kAllow;
  double cpus = 0.5;
  bool default_ = true;  // NOLINT(readability-identifier-naming): "default" is a keyword
  bool operator==(const Outer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Outer, (), (image, command, memory_mb, env, inner, level, cpus, default_))

struct Camel {
  static constexpr bool kCamelCase = true;
  std::string settings_path = "default";
};
BOOST_DESCRIBE_STRUCT(Camel, (), (settings_path))

struct Answer {
  std::optional<int> left_out;
  Nullable<int> written;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (left_out, written))

struct Numbers {
  std::optional<std::int8_t> tiny;
  std::optional<std::uint64_t> large;
  std::optional<std::int64_t> wide;
  std::optional<double> real;
  std::optional<boost::json::value> any;
};
BOOST_DESCRIBE_STRUCT(Numbers, (), (tiny, large, wide, real, any))

namespace {

constexpr std::string_view kWhole =
    R"({"image":"a","command":["x","y"],"env":{"K":"V"},"inner":[{"count":1,"small":255}],)"
    R"("level":"ask_first","cpus":2,"default":false})";

std::string complaint(std::string_view text, DecodeOptions options = {}) {
  Decoded<Outer> decoded = decode<Outer>(text, options);
  return decoded ? "" : decoded.error().pointer + " " + decoded.error().detail;
}

TEST(Json, DecodesEverythingAndBack) {
  Decoded<Outer> decoded = decode<Outer>(kWhole);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().to_error().to_string();
  EXPECT_EQ(decoded->command, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(decoded->level, Level::kAskFirst);
  EXPECT_EQ(decoded->inner[0].small, 255);
  EXPECT_EQ(decoded->cpus, 2.0);
  EXPECT_FALSE(decoded->memory_mb);
  Decoded<Outer> again = decode<Outer>(encode(*decoded));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, *decoded);
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint(R"({"image":"a","comand":[]})"), "/command is required");
  EXPECT_EQ(complaint(R"({"image":"a"})"), "/command is required");
  EXPECT_EQ(complaint(R"({"image":1})"), "/image must be a string");
  EXPECT_EQ(complaint(R"([])"), " must be an object");
  std::string text(kWhole);
  auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  EXPECT_EQ(complaint(with("255", "256")), "/inner/0/small must be between 0 and 255");
  EXPECT_EQ(complaint(with("255", "-1")), "/inner/0/small must be between 0 and 255");
  EXPECT_EQ(complaint(with("\"y\"", "null")), "/command/1 must be a string");
  EXPECT_EQ(complaint(with("\"V\"", "{}")), "/env/K must be a string");
  EXPECT_EQ(complaint(with("\"K\":\"V\"", "\"a/b~\":1")), "/env/a~1b~0 must be a string");
  EXPECT_EQ(complaint(with("ask_first", "maybe")), "/level must be one of allow, ask_first, deny");
  EXPECT_EQ(complaint(with("\"count\":1", "\"count\":1.5")),
            "/inner/0/count must be a whole number");
  EXPECT_EQ(complaint(with("false", "0")), "/default must be true or false");
}

TEST(Json, AbsentAndNullOptionalsAreTheSame) {
  std::string text(kWhole);
  text.insert(1, "\"memory_mb\":null,");
  Decoded<Outer> decoded = decode<Outer>(text);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_FALSE(decoded->memory_mb);
  EXPECT_EQ(encode(*decoded).find("memory_mb"), std::string::npos);
}

TEST(Json, AnEmptyNullableIsWrittenAsNull) {
  EXPECT_EQ(encode(Answer{}), R"({"written":null})");
  EXPECT_EQ(encode(Answer{.left_out = 1, .written = 2}), R"({"left_out":1,"written":2})");
  for (const char* text : {"{}", R"({"written":null})"}) {
    EXPECT_FALSE(decode<Answer>(text)->written) << text;
  }
  EXPECT_EQ(decode<Answer>(R"({"written":3})")->written, 3);
}

TEST(Json, OptionsForDialectsAndConfiguration) {
  std::string text(kWhole);
  text.insert(1, "\"surprise\":[1,2],");
  EXPECT_EQ(complaint(text), "/surprise is unknown");
  EXPECT_EQ(complaint(text, {.ignore_unknown = true}), "");
  Decoded<Camel> kept = decode<Camel>("{}", {.keep_defaults = true});
  EXPECT_EQ(kept->settings_path, "default");
  Decoded<Camel> set = decode<Camel>(R"({"settingsPath":"x"})");
  EXPECT_EQ(set->settings_path, "x");
  EXPECT_EQ(encode(*set), R"({"settingsPath":"x"})");
}

TEST(Json, NumbersMustFit) {
  EXPECT_EQ(decode<Numbers>(R"({"tiny":-128})")->tiny, -128);
  EXPECT_FALSE(decode<Numbers>(R"({"tiny":128})"));
  EXPECT_EQ(decode<Numbers>(R"({"tiny":3.0})")->tiny, 3);
  EXPECT_EQ(decode<Numbers>(R"({"large":18446744073709551615})")->large, UINT64_MAX);
  EXPECT_FALSE(decode<Numbers>(R"({"large":18446744073709551616})"));
  EXPECT_FALSE(decode<Numbers>(R"({"large":-1})"));
  EXPECT_EQ(decode<Numbers>(R"({"wide":-9223372036854775808})")->wide, INT64_MIN);
  EXPECT_FALSE(decode<Numbers>(R"({"wide":9223372036854775808})"));
  EXPECT_FALSE(decode<Numbers>(R"({"wide":1e300})"));
  EXPECT_EQ(decode<Numbers>(R"({"real":1})")->real, 1.0);
  EXPECT_TRUE(decode<Numbers>(R"({"any":{"x":[null]}})")->any->is_object());
}

TEST(Json, LimitsHold) {
  EXPECT_EQ(parse(std::string(40, '[') + std::string(40, ']')).error().code,
            Code::kInvalidArgument);
  EXPECT_TRUE(parse(std::string(30, '[') + std::string(30, ']')).has_value());
  EXPECT_EQ(parse("[1,2,3]", {.max_bytes = 3}).error().code, Code::kTooLarge);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (std::string_view text :
       {"", "{", "nul", "{\"a\":1,}", "{} {}", "'x'", "[1] x", "\"\xff\"", "// c\n1", "NaN"}) {
    EXPECT_FALSE(parse(text).has_value()) << text;
  }
}

TEST(Json, RefusesAMemberThatIsSaidTwice) {
  EXPECT_EQ(complaint(R"({"image":"a","command":[],"image":"b"})"), " says a member twice");
  EXPECT_EQ(complaint(R"({"image":"a","im\u0061ge":"b"})"), " says a member twice");
  std::string twice(kWhole);
  twice.replace(twice.find("\"small\""), 7, "\"count\":2,\"small\"");
  EXPECT_EQ(complaint(twice), " says a member twice");
  EXPECT_EQ(complaint(twice, {.ignore_unknown = true}), "");
  std::string odd(kWhole);
  odd.replace(odd.find("\"V\""), 3, R"("\\\":{\"a\":\"b\"}")");
  EXPECT_EQ(complaint(odd), "");
}

TEST(Json, WritesNumbersAsPeopleDo) {
  auto said = [](double number) { return encode(Numbers{.real = number}); };
  EXPECT_EQ(said(0.5), R"({"real":0.5})");
  EXPECT_EQ(said(-12.25), R"({"real":-12.25})");
  EXPECT_EQ(said(0.00001), R"({"real":0.00001})");
  EXPECT_EQ(said(512), R"({"real":512})");
  EXPECT_EQ(said(1e300), R"({"real":1e+300})");
  EXPECT_EQ(serialize(0.1), "0.1");
  EXPECT_EQ(serialize(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(serialize(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Json, WritesWhatIsReadAgain) {
  for (std::string_view text :
       {R"({"a":[1,-2,true,null,{}],"b\"\\\n\u0001/":"\b\f\r\té","c":0.1})", "[]", "\"\"", "0"}) {
    EXPECT_EQ(serialize(parse(text).value()), text);
  }
}

TEST(Json, EncodesAnyBytes) {
  Camel value{.settings_path = std::string("q\"\\\n\0\xff", 6)};
  Decoded<Camel> back = decode<Camel>(encode(value));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->settings_path, std::string("q\"\\\n\0\xef\xbf\xbd", 8));
  Numbers numbers{.real = std::numeric_limits<double>::infinity()};
  EXPECT_EQ(encode(numbers), R"({"real":null})");
}

}  // namespace
}  // namespace atl::codec
