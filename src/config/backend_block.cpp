#include "config/backend_block.hpp"

#include "config/schema.hpp"

namespace atl::config {

BackendConfigs::BackendConfigs() {
  for (const BackendBlock* block : backend_blocks()) {
    values_.emplace(block->name, block->defaults());
  }
}

std::any BackendConfigs::of(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::any() : found->second;
}

boost::json::value BackendConfigs::to_json() const {
  boost::json::object all;
  for (const BackendBlock* block : backend_blocks()) {
    codec::detail::add_member(all, block->name, block->encode(values_.find(block->name)->second));
  }
  return all;
}

codec::Decoded<BackendConfigs> BackendConfigs::from_json(const boost::json::value& value,
                                                         const codec::Where& where,
                                                         codec::DecodeOptions options) {
  auto members = codec::detail::object(value, where);
  if (!members) return std::unexpected(std::move(members).error());
  BackendConfigs all;
  std::vector<std::string> known;
  for (const BackendBlock* block : backend_blocks()) {
    known.emplace_back(block->name);
    const boost::json::value* present = codec::detail::find(**members, block->name);
    if (present == nullptr) continue;
    auto decoded = block->decode(*present, codec::Where(where, known.back()), options);
    if (!decoded) return std::unexpected(std::move(decoded).error());
    all.values_.find(block->name)->second = std::move(*decoded);
  }
  auto unknown = codec::detail::unknown_member(**members, where, known);
  if (unknown) return std::unexpected(std::move(*unknown));
  return all;
}

void BackendConfigs::describe(Node& node) {
  for (const BackendBlock* block : backend_blocks()) {
    block->describe(node.add_child(std::string(block->name)));
  }
}

}  // namespace atl::config
