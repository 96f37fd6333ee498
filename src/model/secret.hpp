// A secret of a tenant: a value that requests to certain hosts carry and that never enters a
// sandbox. Its value is written and used, and shown to nobody.
#pragma once

#include <string>

#include "model/session.hpp"

namespace atl::model {

// What may be shown of it.
struct SecretInfo {
  std::string tenant;
  std::string name;
  Time created_at{};
  Time updated_at{};
};

struct Secret : SecretInfo {
  std::string value;  // any bytes
};

}  // namespace atl::model
