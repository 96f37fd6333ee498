// PostgreSQL's five-character codes (SQLSTATE) as our errors.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace atl::store::postgres {

// The server ended this connection, is going down, or is not up yet.
bool means_lost(std::string_view sqlstate);
std::unexpected<Error> fail_sqlstate(std::string_view sqlstate);

}  // namespace atl::store::postgres
