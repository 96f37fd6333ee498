// One sandbox as atoll-egress sees it: its policy, its names, its two sockets, its connections. All
// that it sends is judged by this one's policy and known to nobody else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/unique_fd.hpp"
#include "egress/byte_rate.hpp"
#include "egress/context.hpp"
#include "egress/dns_service.hpp"
#include "egress/name_table.hpp"
#include "egress/policy.hpp"
#include "egress/protocol.hpp"
#include "egress/rate.hpp"
#include "egress/request_edits.hpp"
#include "egress/tenant.hpp"

namespace atl::egress {

class Connection;
class DnsStream;

// Why a connection is refused, with details for the message.
struct Denial {
  Reason reason = Reason::kNameDenied;
  std::string detail;
};

class Sandbox final : public Watched {
 public:
  static constexpr std::size_t kMaxLookups = 64;
  static constexpr std::chrono::seconds kMaxTtl{60}, kNegativeTtl{5};

  Sandbox(Context& context, std::string id, Policy policy, RequestEdits edits,
          std::shared_ptr<Tenant> tenant, std::uint64_t used_bytes);
  ~Sandbox();

  // Closes all that it has in its namespace, which may then be used anew. It is freed later.
  void leave();
  // Replaces the present ones.
  void use(UniqueFd listener, UniqueFd dns);
  // Ends connections that it does not allow.
  void set_policy(Policy policy, RequestEdits edits);
  // The operator's limits are others now.
  void limits_changed();
  Figures figures() const;

  const std::string& id() const { return id_; }
  const Policy& policy() const { return policy_; }
  const RequestEdits& edits() const { return edits_; }
  Context& context() { return context_; }
  Group& group() { return group_; }
  NameTable& names() { return names_; }

  // Looks a name up, or takes what is known. `then` may be called at once. False, and it is never
  // called, when too many are asked for.
  using Then = std::function<void(const Answer&)>;
  bool look_up(const std::string& name, Then then);

  // nullopt: it is allowed. An empty name: the address itself.
  std::optional<Denial> judge(const std::string& name, const Address& address,
                              std::uint16_t port) const;
  // Whether it may be dialled at all: public, or allowed all the same. `name` as in judge().
  bool may_dial(const std::string& name, const Address& address) const;

  void refused(const std::string& name, std::uint16_t port, Reason reason, std::string detail = {});
  // An event that refuses nothing.
  void noticed(const std::string& name, std::uint16_t port, Reason reason, std::string detail);
  void count(std::uint64_t rx, std::uint64_t tx);

  // How much a connection may read now from outside (down) or from inside, by its rates and by
  // memory; who may read nothing waits, and its update() is called when there is room.
  enum class Way { kUp, kDown };
  std::size_t room(Way way);
  void spend(Way way, std::uint64_t bytes);
  void wait_for_room(Connection& connection);
  // Memory is free again: sandboxes that waited for it may accept.
  void memory_freed();

  // Of connections: they are freed after this turn of the loop.
  void drop(Connection& connection);
  void drop(DnsStream& stream);

 private:
  void on_ready(int fd, std::uint32_t events) override;
  void accept_some();
  void take_connection(UniqueFd socket);
  bool is_full() const;
  bool used_up() const;
  void watch_listener();
  void taken();
  void freed(std::size_t connections);
  void judge_again();
  void on_room();
  std::size_t left(Way way);

  struct Known {
    Answer answer;
    Loop::Clock::time_point until;
  };
  struct Asked {
    std::vector<Then> waiting;
    std::shared_ptr<Resolver::Lookup> lookup;
  };
  void learned(const std::string& name, Answer answer);

  Context& context_;
  std::string id_;
  Policy policy_;
  RequestEdits edits_;
  Group group_;
  NameTable names_;
  UniqueFd listener_;
  std::optional<Watch> listener_watch_;
  std::optional<DnsService> dns_;
  Timer accept_again_;
  int accept_burst_ = 1;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unordered_map<DnsStream*, std::shared_ptr<DnsStream>> dns_streams_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, Asked> asked_;
  Rate new_names_{20, 20};
  std::uint64_t rx_ = 0, tx_ = 0, opened_ = 0, refused_ = 0;
  std::shared_ptr<Tenant> tenant_;
  std::uint64_t used_before_;
  ByteRate down_, up_;
  std::unordered_set<Connection*> no_room_;
  std::size_t up_share_ = 0, down_share_ = 0;  // of each that waited until then
  Loop::Clock::time_point shared_at_;
  Timer room_, used_up_;
};

}  // namespace atl::egress
