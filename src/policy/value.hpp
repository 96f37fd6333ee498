// What an expression is known to be, as far as reading it tells: a text, or the dotted path of
// something from outside ("os.system", "requests.Session().get"). An expression may have several,
// because a name may be bound more than once and the order is not followed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::policy {

struct Value {
  enum class Kind { kText, kPath };
  Kind kind = Kind::kText;
  std::string text;

  bool is_text() const { return kind == Kind::kText; }
  bool is_path() const { return kind == Kind::kPath; }
  auto operator<=>(const Value&) const = default;
};

inline Value text_value(std::string text) { return {Value::Kind::kText, std::move(text)}; }
inline Value path_value(std::string path) { return {Value::Kind::kPath, std::move(path)}; }

using Values = std::vector<Value>;

inline constexpr std::size_t kMaxValues = 8;         // of one expression
inline constexpr std::size_t kMaxText = 256 * 1024;  // of one value

inline void add_value(Values& values, Value value) {
  if (values.size() >= kMaxValues || value.text.size() > kMaxText) return;
  for (const Value& known : values) {
    if (known == value) return;
  }
  values.push_back(std::move(value));
}

// Names of a text. A name that is bound to something unknown is bound all the same: it is not the
// built-in of that name.
class Bindings {
 public:
  void bind(std::string_view name, const Values& values) {
    Values& known = bound_[std::string(name)];
    for (const Value& value : values) add_value(known, value);
  }
  void bind_unknown(std::string_view name) { bound_.try_emplace(std::string(name)); }
  bool has(std::string_view name) const { return bound_.contains(std::string(name)); }
  Values of(std::string_view name) const {
    auto found = bound_.find(std::string(name));
    return found == bound_.end() ? Values() : found->second;
  }
  // Grows with every value that is learned, and stays when nothing is.
  std::size_t size() const {
    std::size_t total = bound_.size();
    for (const auto& [name, values] : bound_) total += values.size();
    return total;
  }

 private:
  std::map<std::string, Values> bound_;
};

}  // namespace atl::policy
