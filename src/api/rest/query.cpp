#include "api/rest/query.hpp"

#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"

namespace atl::api::rest {

namespace {

std::string in_query(std::string_view name, std::string_view wrong) {
  return "the query parameter `" + std::string(name) + "` " + std::string(wrong);
}

}  // namespace

Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most) {
  auto text = call.request().find_query(name);
  if (!text) return absent;
  auto number = to_number(*text);
  if (!number || *number < least || *number > most) {
    return refuse(Code::kInvalidArgument,
                  in_query(name, "must be a number from " + std::to_string(least) + " to " +
                                     std::to_string(most)));
  }
  return *number;
}

Answer<bool> query_flag(const Call& call, std::string_view name, bool absent) {
  auto text = call.request().find_query(name);
  if (!text) return absent;
  if (text->empty() || *text == "true" || *text == "1") return true;
  if (*text == "false" || *text == "0") return false;
  return refuse(Code::kInvalidArgument, in_query(name, "must be true or false"));
}

Answer<model::Page> query_page(const Call& call) {
  ATOLL_TRY(std::uint64_t limit, query_number(call, "limit", kPage, 1, kMaxPage));
  std::string_view cursor = call.request().query_value("cursor");
  auto of_an_id = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (!cursor.empty() && (cursor.size() != 26 || !std::ranges::all_of(cursor, of_an_id))) {
    return refuse(Code::kInvalidArgument,
                  in_query("cursor", "is unknown; use the next_cursor of an earlier answer"));
  }
  return model::Page{.after = std::string(cursor), .limit = static_cast<std::size_t>(limit)};
}

Answer<void> known_query(const Call& call, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : call.request().query) {
    if (std::ranges::find(names, name) == names.end()) {
      return refuse(Code::kInvalidArgument, in_query(name, "is unknown here"));
    }
  }
  return {};
}

}  // namespace atl::api::rest
