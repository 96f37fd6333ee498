// For tests: whether an answer is what the OpenAPI document says. The part of JSON Schema that the
// document uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace atl::api::rest::test {

class SchemaCheck {
 public:
  explicit SchemaCheck(std::string_view openapi_json);

  // Whether the document has this operation: other protocols on the port have none.
  bool knows(std::string_view operation) const { return operation_named(operation) != nullptr; }
  // What is wrong with it; nothing when all is well.
  std::vector<std::string> problems(std::string_view operation, int status, std::string_view type,
                                    std::string_view body) const;

 private:
  using Value = boost::json::value;
  const Value& resolved(const Value& value) const;
  const Value* operation_named(std::string_view name) const;
  void check(const Value& schema, const Value& value, const std::string& at,
             std::vector<std::string>& out) const;
  // Every event of a stream, by the one of the described that has its name.
  std::vector<std::string> event_problems(const Value& media, std::string_view body) const;
  void check_object(const boost::json::object& schema, const boost::json::object& value,
                    const std::string& at, std::vector<std::string>& out) const;

  Value document_;
};

}  // namespace atl::api::rest::test
