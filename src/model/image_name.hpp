// Names of images as engines and registries take them: "python:3.11-slim",
// "registry.example:5000/team/tool@sha256:…". Pure.
#pragma once

#include <string_view>

namespace atl::model {

bool is_image_name(std::string_view text);
// What a name looks like; for messages.
inline constexpr const char* kImageNameForm =
    "must be the name of an image: lower-case letters and digits with . _ - / between them, and "
    "perhaps :TAG or @DIGEST";

}  // namespace atl::model
