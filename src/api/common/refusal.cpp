#include "api/common/refusal.hpp"

#include "http/problem.hpp"

namespace atl::api {

http::Response Refusal::response(std::string_view request_id) const {
  if (status != 0) return http::problem(status, code, error.message(), request_id);
  if (at) return http::problem(error, request_id, *at);
  return http::problem(error, request_id);
}

std::unexpected<Refusal> refuse_field(std::string pointer, std::string detail) {
  return std::unexpected<Refusal>(codec::DecodeError{std::move(pointer), std::move(detail)});
}

std::unexpected<Refusal> refuse_value(std::string pointer, std::string detail) {
  return std::unexpected<Refusal>(
      codec::DecodeError{std::move(pointer), std::move(detail), Code::kInvalidValue});
}

std::unexpected<Refusal> refuse(Code code, std::string detail) {
  return std::unexpected<Refusal>(Error(code, std::move(detail)));
}

std::unexpected<Refusal> refuse(int status, std::string code, std::string detail) {
  return std::unexpected<Refusal>(Refusal(status, std::move(code), std::move(detail)));
}

}  // namespace atl::api
