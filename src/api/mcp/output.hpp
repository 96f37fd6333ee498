// Output of executions on its way to a model: in parts, as text.
#pragma once

#include <cstdint>
#include <string>

#include "api/mcp/call.hpp"
#include "model/execution.hpp"

namespace atl::api::mcp {

inline constexpr std::size_t kShownOutput = 32u << 10;  // bytes of each stream in one answer

struct OutputPart {
  std::string text;        // UTF-8
  std::uint64_t next = 0;  // bytes up to here have been given
  bool more = false;       // there are bytes behind it
};
struct OutputParts {
  OutputPart out;
  OutputPart err;
  bool truncated() const { return out.more || err.more; }
};

// From these offsets. `row` lives until it returns.
Task<Result<OutputParts>> output_parts(McpPtr mcp, const model::Execution* row,
                                       std::uint64_t out_from, std::uint64_t err_from);

}  // namespace atl::api::mcp
