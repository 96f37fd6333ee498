// openapi.yaml as JSON, and as a page that people can read. Made at build by tools/api_docs.py.
#pragma once

#include <string_view>

namespace atl::api::rest {

std::string_view openapi_json();
std::string_view docs_html();

}  // namespace atl::api::rest
