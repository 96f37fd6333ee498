// Content-Type and Content-Disposition of multipart/form-data. Pure; the text is hostile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace atl::http {

// One line "Name: value" of a part; false when it is malformed. Folded lines are.
bool add_part_header(Headers& headers, std::string_view line);

struct Disposition {
  std::string name;
  std::optional<std::string> filename;
};
// nullopt unless there is exactly one and it is form-data with a name; both UTF-8 without NUL.
std::optional<Disposition> part_disposition(const Headers& headers);

// The parameters after the first ';' of a field value, names in lower case.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_parameters(
    std::string_view text);

}  // namespace atl::http
