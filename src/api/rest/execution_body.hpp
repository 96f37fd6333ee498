// An execution as the body of an answer. A large output goes out as it is read from the disk:
// nothing holds it as a whole.
#pragma once

#include <string>

#include "api/rest/call.hpp"
#include "bodies/execution.hpp"
#include "model/execution.hpp"

namespace atl::api::rest {

// 200 with its JSON.
Task<Answer<void>> respond_execution(Call call, model::Execution row, http::Headers headers = {});
// Its JSON, as a part of an answer that has begun.
Task<Result<void>> write_execution(Call call, model::Execution row, bool with_output);
// As the text for a tool.
Task<Result<std::string>> execution_text(Call call, model::Execution row);

// Without stdout, stderr and output unless `with_output`.
bodies::ExecutionBody execution_view(const model::Execution& execution, bool with_output = true);
// The `error` of an execution; empty when it did not fail.
bodies::Nullable<bodies::ExecutionErrorBody> execution_error(const model::Execution& execution);

}  // namespace atl::api::rest
