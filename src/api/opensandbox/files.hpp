// The endpoints of files that have a file of their own.
#pragma once

#include "api/opensandbox/call.hpp"

namespace atl::api::opensandbox {

Task<Answer<http::Response>> upload_files(Call call);
Task<Answer<void>> download_file(Call call);

}  // namespace atl::api::opensandbox
