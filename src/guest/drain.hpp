// Pipes that outlived their execution: somebody in the sandbox still holds the writing end. They are
// read and forgotten until their end, so that the writer neither blocks nor dies of SIGPIPE.
#pragma once

#include <cstdint>
#include <list>
#include <span>

#include "base/unique_fd.hpp"
#include "guest/loop.hpp"

namespace atl::guest {

// One buffer for bytes that nobody wants and for reads that are copied on at once.
std::span<char> scratch();

class Drains {
 public:
  explicit Drains(Loop& loop) : loop_(loop) {}
  // `fd` is not blocking and registered in the loop (for an owner that has been forgotten).
  void take(UniqueFd fd);

 private:
  struct Drain final : Pollable {
    Drain(Drains& owner, UniqueFd source) : drains(owner), fd(std::move(source)) {}
    void on_events(std::uint32_t events) override;
    Drains& drains;
    UniqueFd fd;
  };
  void drop(Drain& drain);

  Loop& loop_;
  std::list<Drain> list_;
};

}  // namespace atl::guest
