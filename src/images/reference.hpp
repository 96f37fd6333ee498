// Names of images: "python:3.12", "team/tool:v1", "registry.example:5000/team/tool:v1". A name
// without a tag means the tag "latest".
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::images {

// The name with its tag, as it is stored and shown; the default registry's own prefix is left out.
// kInvalidArgument says what a name looks like.
Result<std::string> parse_reference(std::string_view text);

// A file name for it, and nothing but one: "team%2Ftool%3Av1".
std::string encode_reference(std::string_view name);

// 64 lower-case hexadecimal digits.
bool is_sha256_hex(std::string_view text);
// The digits of "sha256:…"; empty for anything else.
std::string_view digest_hex(std::string_view digest);

}  // namespace atl::images
