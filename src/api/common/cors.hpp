// Web pages of other origins that the operator lets call the API (server.corsOrigins): what their
// browsers must be told. A page still needs a key; no cookie is ever taken from it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.hpp"

namespace atl::api {

// Adds the fields to `answer` that let a page of one of `origins` read it. A preflight of such a
// page is answered whole: it carries no key, and no route sees it.
std::optional<http::Response> admit_page(const std::vector<std::string>& origins,
                                         const http::Request& request, http::Headers& answer);

}  // namespace atl::api
