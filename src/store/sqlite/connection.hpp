// SQLite: one file, WAL, synced at every commit. The writer's connection hands the copying of the
// log into the file to a thread of its own (checkpointer.hpp), so that no commit waits for it.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace atl::store::sqlite {

enum class Use { kWrite, kRead };

// The file is made (0600) when it is missing.
Result<std::unique_ptr<Connection>> connect(std::string file, Use use);

}  // namespace atl::store::sqlite
