// std::expected, as [[nodiscard]] as C++26 makes it: a dropped error does not compile, whether the
// call is plain or awaited. Include this instead of <expected> (tools/check_layers.py refuses that
// one).
#pragma once

#include <version>

#if defined(_GLIBCXX_EXPECTED) || defined(_LIBCPP___EXPECTED_EXPECTED_H)
#error "include base/expected.hpp before <expected>: the attribute must come first"
#endif

// A definition takes over the attributes of the declarations before it. The specialisation for void
// is a class of its own, and clang 19 ignores attributes on its declarations: ATOLL_NODISCARD_VOID.
#ifdef _LIBCPP_VERSION
_LIBCPP_BEGIN_NAMESPACE_STD
template <typename T, typename E>
class [[nodiscard]] expected;
_LIBCPP_END_NAMESPACE_STD
#else
namespace std {
template <typename T, typename E>
class [[nodiscard]] expected;
}
#endif

#include <expected>

// Makes std::expected<void, error> [[nodiscard]], at global scope where `error` is complete. One
// source file instantiates it: `template class std::expected<void, error>;`. The GNU spelling,
// because clang takes no [[…]] here.
#define ATOLL_NODISCARD_VOID(error) \
  extern template class __attribute__((warn_unused_result)) std::expected<void, error>
