// Sums for names and secrets.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace atl::control {

std::string hex(std::span<const unsigned char> bytes);
std::string sha256_hex(std::string_view bytes);

}  // namespace atl::control
