// Server-sent events: the writer for handlers, and a reader for clients.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"

namespace atl::http {

struct SseEvent {
  std::string event = {};  // "" is the default, "message"
  std::string id = {};     // "" is none
  std::string data = {};   // may have several lines
};

// "event: …\nid: …\ndata: …\n\n" appended. CR, LF and NUL in event and id become spaces.
void append_sse(std::string& out, std::string_view event, std::string_view id,
                std::string_view data);

class SseWriter {
 public:
  explicit SseWriter(Exchange& exchange) : exchange_(&exchange) {}

  // 200 with the right fields. Called by the first write when nobody did.
  Task<Result<void>> begin(Headers headers = {});
  // Keeps the event until flush(): several small ones go out in one write.
  void add(std::string_view event, std::string_view id, std::string_view data);
  void add(const SseEvent& event) { add(event.event, event.id, event.data); }
  std::size_t pending() const { return buffer_.size(); }
  Task<Result<void>> flush();
  // add() and flush().
  Task<Result<void>> send(SseEvent event);
  // A line that readers ignore: tells whether the client is still there.
  Task<Result<void>> comment(std::string text = {});
  // What is pending, then the end of the answer.
  Task<Result<void>> finish();

 private:
  Exchange* exchange_;
  std::string buffer_;
};

class SseReader {
 public:
  explicit SseReader(std::size_t max_event = 16 * 1024 * 1024) : max_event_(max_event) {}

  // kTooLarge when an event does not end in time.
  Result<void> feed(std::string_view bytes);
  // The next whole event, nullopt when more bytes are needed.
  std::optional<SseEvent> next();
  const std::string& last_event_id() const { return last_id_; }

 private:
  bool take_line(std::string_view line, SseEvent& event, bool& has_data);

  std::size_t max_event_;
  std::string buffer_;
  std::size_t start_ = 0;
  bool first_ = true;  // a byte order mark may come
  std::string last_id_;
};

}  // namespace atl::http
