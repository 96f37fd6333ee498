// The dialect of OpenSandbox: its lifecycle API below /v1, and what a sandbox of theirs answers
// itself (execd, egress, any other port) below /sandboxes/{id}/proxy/{port}. Requests are parsed,
// given to one service of control, and its answer is rendered as their clients read it.
#pragma once

#include "api/common/dialect.hpp"

namespace atl::api::opensandbox {

// `control` outlives it; destroy it before the executor's context.
DialectPtr make_dialect(control::Control& control, DialectOptions options);

}  // namespace atl::api::opensandbox
