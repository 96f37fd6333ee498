// Why a request is not done: an Error, where in the request the fault lies, and for what has no
// Code a status and a name of its own. Everything an endpoint returns instead of an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/expected.hpp"
#include "base/field_error.hpp"
#include "codec/decode_error.hpp"
#include "http/message.hpp"

namespace atl::api {

struct Refusal {
  Refusal(Error reason) : error(std::move(reason)) {  // NOLINT(google-explicit-constructor)
    if (std::string_view field = field_of(error); !field.empty()) at = field;
  }
  Refusal(codec::DecodeError wrong)  // NOLINT(google-explicit-constructor)
      : error(wrong.to_error()), at(std::move(wrong.pointer)) {}
  Refusal(int own_status, std::string own_code, std::string detail)
      : error(Code::kInvalidArgument, std::move(detail)),
        status(own_status),
        code(std::move(own_code)) {}

  http::Response response(std::string_view request_id) const;

  Error error;
  std::optional<std::string> at;  // JSON pointer
  int status = 0;                 // 0: that of the error
  std::string code;
};

template <typename T>
using Answer = std::expected<T, Refusal>;

// The field at this pointer is none that the request can have, or not of its type: 400.
std::unexpected<Refusal> refuse_field(std::string pointer, std::string detail);
// The field is what it should be, but not with this value: 422.
std::unexpected<Refusal> refuse_value(std::string pointer, std::string detail);
std::unexpected<Refusal> refuse(Code code, std::string detail);
std::unexpected<Refusal> refuse(int status, std::string code, std::string detail);

}  // namespace atl::api
