#include "store/statements.hpp"

namespace atl::store {
namespace detail {

std::string joined(const std::vector<std::string>& names, const std::string& prefix) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += prefix + name;
  }
  return text;
}

std::string insert_text(const std::string& table, const std::vector<std::string>& names) {
  std::string marks;
  for (std::size_t i = 1; i <= names.size(); ++i) {
    marks += (i == 1 ? "$" : ", $") + std::to_string(i);
  }
  return "INSERT INTO " + table + " (" + joined(names, "") + ") VALUES (" + marks + ")";
}

std::string upsert_text(const std::string& table, const std::string& key,
                        const std::vector<std::string>& names) {
  std::string sets;
  // The key stays out of it: SQLite would look for rows that refer to it.
  for (const std::string& name : names) {
    if ((", " + key + ",").find(", " + name + ",") != std::string::npos) continue;
    if (!sets.empty()) sets += ", ";
    sets += name;
    sets += " = excluded.";
    sets += name;
  }
  return insert_text(table, names) + " ON CONFLICT (" + key + ") DO UPDATE SET " + sets;
}

}  // namespace detail

bool are_storable(std::span<const Value> values) {
  for (const Value& value : values) {
    if (const auto* own = std::get_if<std::string>(&value)) {
      if (!detail::is_storable_text(*own)) return false;
    } else if (const auto* view = std::get_if<std::string_view>(&value)) {
      if (!detail::is_storable_text(*view)) return false;
    }
  }
  return true;
}

}  // namespace atl::store
