// The name under which the log has the {id} of a path.
#pragma once

#include <string_view>

namespace atl::api {

// "execution_id" for /api/v1/executions/{id}/...; session_id where the path names nothing else.
std::string_view id_name(std::string_view path);

}  // namespace atl::api
