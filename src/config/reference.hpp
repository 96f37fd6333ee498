// Every field with its default, what it may hold and what it means, as Markdown: the tables of
// docs/configuration.md and what `atoll config reference` prints.
#pragma once

#include <string>

namespace atl::config {

std::string reference_markdown();

}  // namespace atl::config
