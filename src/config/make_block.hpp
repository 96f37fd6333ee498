// Makes the BackendBlock of a struct. For the backends' config.cpp.
#pragma once

#include "config/backend_block.hpp"
#include "config/describe.hpp"

namespace atl::config {

template <typename T>
constexpr BackendBlock make_block(std::string_view name, std::span<const Rule> rules) {
  return {.name = name,
          .rules = rules,
          .describe = &describe<T>,
          .defaults = [] { return std::any(T()); },
          .encode =
              [](const std::any& value) { return codec::to_json(std::any_cast<const T&>(value)); },
          .decode = [](const boost::json::value& value, const codec::Where& where,
                       codec::DecodeOptions options) -> codec::Decoded<std::any> {
            auto decoded = codec::detail::decode_at<T>(value, where, options);
            if (!decoded) return std::unexpected(std::move(decoded).error());
            return std::any(std::move(*decoded));
          }};
}

}  // namespace atl::config
