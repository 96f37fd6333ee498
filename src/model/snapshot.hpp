// The writable files of a session, kept beyond its end.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "model/session.hpp"

namespace atl::model {

struct Snapshot {
  std::string id;
  SessionId session_id;  // that it was taken of
  std::string tenant;
  std::string name;
  std::uint64_t size = 0;
  std::string file;  // name inside DATA/snapshots
  Time created_at{};
};

}  // namespace atl::model
