// Looks at a request before anything is done with it: sizes, counts, names, paths, ranges.
#pragma once

#include <cstddef>

#include "engine/launcher_protocol.hpp"

namespace atl::engine {

// 0, or the errno to answer with. `header` receives the request's header when that was whole.
int check_request(CreateRequest& request, std::size_t size, std::size_t descriptors,
                  RequestHeader& header);

}  // namespace atl::engine
