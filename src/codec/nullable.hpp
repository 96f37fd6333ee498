// A member that is written as null when it is empty; an empty std::optional is left out.
#pragma once

#include <optional>
#include <utility>

namespace atl::codec {

template <typename T>
struct Nullable : std::optional<T> {
  using std::optional<T>::optional;
  Nullable(std::optional<T> value) : std::optional<T>(std::move(value)) {}
};

}  // namespace atl::codec
