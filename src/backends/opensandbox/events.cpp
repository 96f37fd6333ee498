#include "backends/opensandbox/events.hpp"

#include <optional>
#include <utility>

#include <boost/describe/class.hpp>

#include "codec/json.hpp"

namespace atl::backends::opensandbox {
namespace {

struct ErrorBody {
  std::optional<std::string> ename;
  std::optional<std::string> evalue;
};
BOOST_DESCRIBE_STRUCT(ErrorBody, (), (ename, evalue))

struct EventBody {
  std::string type;
  std::optional<std::string> text;
  std::optional<ErrorBody> error;
};
BOOST_DESCRIBE_STRUCT(EventBody, (), (type, text, error))

// The JSON of a line, or nothing: blank lines, comments and the fields of server-sent events that
// are not data.
std::string_view payload_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with("data:")) line.remove_prefix(5);
  while (line.starts_with(' ')) line.remove_prefix(1);
  for (std::string_view field : {":", "event:", "id:", "retry:"}) {
    if (line.starts_with(field)) return {};
  }
  return line;
}

Result<StreamEvent> event_of(std::string_view text) {
  auto body = codec::decode<EventBody>(text, {.ignore_unknown = true},
                                       {.max_bytes = EventReader::kMaxEvent});
  if (!body) {
    return fail(Code::kProtocol, "the sandbox sent an event that cannot be read: " +
                                     body.error().pointer + " " + body.error().detail);
  }
  StreamEvent event{.type = std::move(body->type)};
  if (body->text) event.text = std::move(*body->text);
  if (body->error) {
    event.error_name = std::move(body->error->ename).value_or("");
    event.error_value = std::move(body->error->evalue).value_or("");
  }
  return event;
}

}  // namespace

Result<std::vector<StreamEvent>> EventReader::feed(std::string_view bytes) {
  std::vector<StreamEvent> events;
  line_ += bytes;
  std::size_t from = 0;
  for (;;) {
    std::size_t end = line_.find('\n', std::max(from, searched_));
    if (end == std::string::npos) break;
    std::string_view payload = payload_of(std::string_view(line_).substr(from, end - from));
    if (!payload.empty()) {
      ATOLL_TRY(StreamEvent event, event_of(payload));
      events.push_back(std::move(event));
    }
    from = end + 1;
  }
  line_.erase(0, from);
  searched_ = line_.size();
  if (line_.size() > kMaxEvent) {
    return fail(Code::kTooLarge, "a line of output is longer than this backend can take");
  }
  return events;
}

}  // namespace atl::backends::opensandbox
