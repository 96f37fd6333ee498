// Images for people and for programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/import.hpp"

namespace atl::cli {

std::string images_text(std::span<const images::Image> images, bool color);
std::string images_json(std::span<const images::Image> images, bool pretty);
std::string image_json(const images::Image& image, bool pretty);

std::string import_text(const images::ImportReport& report);
std::string import_json(const images::ImportReport& report, bool pretty);
// What of the archive was left out.
std::vector<std::string> import_remarks(const images::ImportReport& report);

// {"removed": [names]}
std::string names_json(std::string_view key, std::span<const std::string> names, bool pretty);
std::string error_json(const Error& error, bool pretty);

}  // namespace atl::cli
