// Ports of a network rule as people write them: 443, or 8000-8999.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/network.hpp"

namespace atl::model {

// nullopt for anything else, for ports above 65535 and for a range that goes down.
std::optional<PortRange> parse_ports(std::string_view text);
std::string ports_text(const PortRange& range);

}  // namespace atl::model
