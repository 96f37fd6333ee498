#include "api/rest/execution_events.hpp"

#include <gtest/gtest.h>

#include "api/common/text.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {
namespace {

using control::SpoolEvent;
using control::SpoolKind;
using Events = std::vector<http::SseEvent>;

std::string text_in(const Events& events, std::string_view stream) {
  std::string all;
  for (const http::SseEvent& event : events) {
    if (event.event == stream) {
      all += codec::parse(event.data)->as_object().at("text").as_string().c_str();
    }
  }
  return all;
}

TEST(EventIds, ThereAndBack) {
  StreamPosition plain{3, 10, 20, 1, {}, {}};
  StreamPosition cut{7, 1, 2, 0, "\xe4\xb8", ""};
  for (const StreamPosition& position : {plain, cut}) {
    EXPECT_EQ(from_event_id(to_event_id(position)), position);
  }
  for (std::string_view bad :
       {"", "1", "1.2.3", "1.2.3.x", "1.2.3.4.5", "1.2.3.4.zz.", "1.2.3.4.00000000."}) {
    EXPECT_FALSE(from_event_id(bad).has_value()) << bad;
  }
}

TEST(ExecutionEvents, CharactersAreNotTornApart) {
  EXPECT_EQ(incomplete_tail("abc"), 0u);
  EXPECT_EQ(incomplete_tail("a\xe4"), 1u);
  EXPECT_EQ(incomplete_tail("a\xe4\xb8"), 2u);
  EXPECT_EQ(incomplete_tail("\xe4\xb8\xad"), 0u);
  EXPECT_EQ(incomplete_tail("\xf0\x9f\x98"), 3u);
  EXPECT_EQ(incomplete_tail("\xff"), 0u);
  ExecutionEvents events;
  Events out;
  events.take({1, SpoolKind::kStdout, "a\xe4"}, out);
  events.take({2, SpoolKind::kStderr, "!"}, out);
  events.take({3, SpoolKind::kStdout,
               "\xb8\xad"
               "b"},
              out);
  EXPECT_EQ(text_in(out, "stdout"),
            "a\xe4\xb8\xad"
            "b");
  EXPECT_EQ(text_in(out, "stderr"), "!");
}

TEST(ExecutionEvents, GoesOnBehindAnyEvent) {
  std::vector<SpoolEvent> spool{{1, SpoolKind::kStdout, "x\xe4\xb8"},
                                {2, SpoolKind::kStderr, "e"},
                                {3, SpoolKind::kStdout, "\xadz"},
                                {4, SpoolKind::kResult, R"({"text/plain":"1"})"}};
  model::Execution row;
  row.output = {.stdout_bytes = "x\xe4\xb8\xadz", .stderr_bytes = "e", .merged = ""};
  row.result_json = R"({"results":[{"is_result":true,"data":{"text/plain":"1"}}]})";
  Events all;
  ExecutionEvents whole;
  for (const SpoolEvent& event : spool) whole.take(event, all);
  whole.finish(row, all);
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    StreamPosition at = *from_event_id(all[cut].id);
    Events seen(all.begin(), all.begin() + static_cast<long>(cut) + 1);
    // While it runs: from the spool.
    Events live = seen;
    ExecutionEvents again(at);
    for (const SpoolEvent& event : spool) {
      if (event.number > at.number) again.take(event, live);
    }
    EXPECT_EQ(text_in(live, "stdout"), row.output.stdout_bytes) << cut;
    // After its end: from what was kept.
    Events kept = seen;
    ExecutionEvents later(at);
    auto more = [&](bool is_stdout, std::uint64_t offset) -> Result<std::string> {
      const std::string& all_of = is_stdout ? row.output.stdout_bytes : row.output.stderr_bytes;
      return offset < all_of.size() ? all_of.substr(offset) : "";
    };
    while (*later.replay(row, more, kept)) {
    }
    later.finish(row, kept);
    EXPECT_EQ(text_in(kept, "stdout"), row.output.stdout_bytes) << cut;
    EXPECT_EQ(text_in(kept, "stderr"), "e") << cut;
    EXPECT_EQ(std::ranges::count(kept, "result", &http::SseEvent::event), 1) << cut;
  }
}

TEST(ExecutionEvents, ErrorIsSaidOnce) {
  model::Execution row;
  row.state = model::ExecutionState::kFailed;
  row.error_code = "execution_failed";
  Events out;
  ExecutionEvents raised;
  raised.take({1, SpoolKind::kError, R"({"ename":"E"})"}, out);
  raised.finish(row, out);
  EXPECT_EQ(std::ranges::count(out, "error", &http::SseEvent::event), 1);
  EXPECT_EQ(out.back().event, "complete");
  Events silent;
  ExecutionEvents failed;
  failed.finish(row, silent);
  ASSERT_EQ(silent.size(), 2u);
  EXPECT_EQ(silent[0].event, "error");
}

}  // namespace
}  // namespace atl::api::rest
