// A guest and one host of it, for each test.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "guest_host.hpp"

namespace atl::guest::test {

struct Guest : testing::Test {
  GuestProcess guest;
  Host host{guest};

  Log& run(const ExecArgs& args) { return host.finish(host.open(Op::kExec, args)); }
  Log& run(std::string script) { return run(shell(std::move(script))); }
  static std::uint64_t exec_id(const Log& log) {
    return decoded<ExecStarted>(log.reply).value().exec_id;
  }
};

}  // namespace atl::guest::test
