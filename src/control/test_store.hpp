// A store for tests that look at what is written, and when, or want a write to fail.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "store/store.hpp"

namespace atl::control::test {

// Before each write, which waits for it and has its error.
using OnWrite = std::function<async::Task<Result<void>>(const std::vector<store::Change>* changes)>;

std::unique_ptr<store::Store> watched(std::unique_ptr<store::Store> inner, OnWrite on_write);

}  // namespace atl::control::test
