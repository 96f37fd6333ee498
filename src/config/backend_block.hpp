// The `sandbox.backends` block. What a backend can be told (a described struct with its defaults,
// and the rules of its fields) is in src/backends/NAME/config.{hpp,cpp}; here it is data that is
// loaded, listed and documented without knowing its type.
#pragma once

#include <any>
#include <cstdlib>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "codec/json.hpp"
#include "config/rules.hpp"

namespace atl::config {

struct Node;

struct BackendBlock {
  std::string_view name;         // of the backend, and of its key in `sandbox.backends`
  std::span<const Rule> rules;   // paths begin with "sandbox.backends.NAME."
  bool also_in_sandbox = false;  // `sandbox.NAME` is the same block
  void (*describe)(Node& node) = nullptr;
  std::any (*defaults)() = nullptr;  // the backend's struct, as are the values below
  boost::json::value (*encode)(const std::any& value) = nullptr;
  codec::Decoded<std::any> (*decode)(const boost::json::value& value, const codec::Where& where,
                                     codec::DecodeOptions options) = nullptr;
};

// Of all backends, by name. Generated, see src/backends/CMakeLists.txt.
std::span<const BackendBlock* const> backend_blocks();

// One struct for each of them.
class BackendConfigs {
 public:
  BackendConfigs();  // their defaults

  // The struct of the backend that has this type.
  template <typename T>
  const T& of() const {
    for (const auto& [name, value] : values_) {
      if (const T* found = std::any_cast<T>(&value)) return *found;
    }
    std::abort();  // no backend of this program has it
  }
  template <typename T>
  T& of() {
    return const_cast<T&>(std::as_const(*this).of<T>());
  }
  // Empty: that backend cannot be told anything.
  std::any of(std::string_view name) const;

  boost::json::value to_json() const;
  static codec::Decoded<BackendConfigs> from_json(const boost::json::value& value,
                                                  const codec::Where& where,
                                                  codec::DecodeOptions options);
  static void describe(Node& node);

 private:
  std::map<std::string, std::any, std::less<>> values_;
};

}  // namespace atl::config
