#include "model/ports.hpp"

#include <charconv>

namespace atl::model {
namespace {

// Digits and nothing else.
std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(port) : std::nullopt;
}

}  // namespace

std::optional<PortRange> parse_ports(std::string_view text) {
  std::size_t dash = text.find('-');
  std::optional<std::uint16_t> first = port_of(text.substr(0, dash));
  std::optional<std::uint16_t> last =
      dash == std::string_view::npos ? first : port_of(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return PortRange{.first = *first, .last = *last};
}

std::string ports_text(const PortRange& range) {
  std::string text = std::to_string(range.first);
  if (range.last != range.first) text += "-" + std::to_string(range.last);
  return text;
}

}  // namespace atl::model
