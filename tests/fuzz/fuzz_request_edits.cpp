// Any bytes as the requests of one connection whose heads get values: values stand in header values
// alone, what goes on is well-formed, and the pieces in which it came do not matter.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/base64.hpp"
#include "egress/http_requests.hpp"
#include "egress/request_edits.hpp"

namespace atl::fuzz {

using namespace egress;

// Not to be found in what a fuzzer comes upon by itself.
constexpr std::string_view kValue = "\xf1value\xf2of\xf3secret\xf4";
constexpr const char* kPlaceholder = "atoll_secret_00000000000000000000000000000000";

RequestEdits make_edits() {
  model::NetworkPolicy policy;
  policy.secrets.push_back({"ONE", "one", {"a.test"}});
  policy.headers["a.test"]["X-Set"] = {.secret = "one"};
  Secrets secrets{{{"one", codec::base64(kValue)}}, {{"ONE", kPlaceholder}}};
  return *RequestEdits::make(*compile(policy), secrets);
}

class Gate final : public RequestWatcher {
 public:
  std::optional<HttpRefusal> on_request(HttpHead& head) override {
    static const RequestEdits edits = make_edits();
    Edited edited = edits.edit(head, "a.test", true, true);
    if (edited.too_large) return HttpRefusal::kTooLarge;
    return std::nullopt;
  }
  void on_body(std::string_view) override {}
};

std::size_t count(std::string_view text) {
  std::size_t found = 0;
  for (std::size_t at = text.find(kValue); at != text.npos; at = text.find(kValue, at + 1)) ++found;
  return found;
}

// Behind the gate: where values are.
class Reader final : public RequestWatcher {
 public:
  std::optional<HttpRefusal> on_request(HttpHead& head) override {
    if (head.count("x-set") != 1) std::abort();
    if (count(head.target) + count(head.method) != 0) std::abort();
    for (const auto& [name, value] : head.fields) in_fields += count(value);
    return std::nullopt;
  }
  void on_body(std::string_view) override {}
  std::size_t in_fields = 0;
};

bool take(std::string_view bytes, std::size_t piece, RequestWatcher& watcher,
          std::string& forward) {
  HttpRequests requests("a.test", 443, &watcher, "https");
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (requests.take(bytes.substr(at, piece), forward)) return false;
    if (requests.waits_for_upgrade()) return true;
  }
  return true;
}

void run(std::string_view bytes, std::size_t piece) {
  if (count(bytes) != 0) return;
  Gate gate, same;
  Reader reader;
  std::string whole, pieces, again;
  bool one = take(bytes, bytes.size(), gate, whole);
  bool other = take(bytes, piece, same, pieces);
  if (one != other || whole != pieces) std::abort();
  if (whole.empty()) return;
  if (!take(whole, whole.size(), reader, again) || again != whole) std::abort();
  // Basic hides it in base64.
  if (reader.in_fields != count(whole)) std::abort();
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  atl::fuzz::run(bytes.substr(1), 1 + data[0] % 64);
  return 0;
}
