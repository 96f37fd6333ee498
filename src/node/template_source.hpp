// The templates that a pool keeps sandboxes of, as they are at this moment.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/template.hpp"

namespace atl::node {

class TemplateSource {
 public:
  virtual ~TemplateSource() = default;
  virtual Result<model::TemplatePtr> find(const std::string& id) const = 0;  // of any tenant
  virtual std::vector<model::TemplatePtr> list() const = 0;
};

}  // namespace atl::node
