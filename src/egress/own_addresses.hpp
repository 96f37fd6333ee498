// The addresses of this host's interfaces, which no sandbox may reach through the relay; the kernel
// says when they change.
#pragma once

#include <set>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "egress/address.hpp"
#include "egress/loop.hpp"

namespace atl::egress {

class OwnAddresses final : public Watched {
 public:
  // Reads them for the first time.
  static Result<std::unique_ptr<OwnAddresses>> open(Group& group);

  bool holds(const Address& address) const { return all_.contains(address); }

 private:
  OwnAddresses(Group& group, UniqueFd link);
  void on_ready(int fd, std::uint32_t events) override;
  bool ask();
  // False when there is nothing more to read at present.
  bool read_some();

  UniqueFd link_;
  Watch watch_;
  std::set<Address> all_, next_;
  bool dumping_ = false, changed_ = false;
};

}  // namespace atl::egress
