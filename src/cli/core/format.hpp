// How documents are printed: -o table, json or yaml.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

enum class DocumentFormat : std::uint8_t { kTable, kJson, kYaml };

inline Result<DocumentFormat> parse_document_format(std::string_view text) {
  if (text == "table") return DocumentFormat::kTable;
  if (text == "json") return DocumentFormat::kJson;
  if (text == "yaml") return DocumentFormat::kYaml;
  return fail(Code::kInvalidArgument, "must be table, json or yaml");
}

}  // namespace atl::cli
