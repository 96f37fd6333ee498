// Parameters of a request's query.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "api/rest/call.hpp"
#include "model/queries.hpp"

namespace atl::api::rest {

// A number in the query; the default when it is absent.
Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most);
Answer<bool> query_flag(const Call& call, std::string_view name, bool absent);
// limit and cursor.
Answer<model::Page> query_page(const Call& call);
// 400 for a parameter that is not among these.
Answer<void> known_query(const Call& call, std::initializer_list<std::string_view> names);

}  // namespace atl::api::rest
