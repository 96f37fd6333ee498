#include "engine/launcher.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/send_fds.hpp"
#include "engine/net_process.hpp"
#include "engine/request_check.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void reap(const UniqueFd& child) {
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(child.get()), &info, WEXITED | WNOHANG);
}

// A request that waits for a helper: the maker of its mounts, or the starter of a zygote.
struct Pending {
  Helper helper;
  LauncherReply reply;
  std::unique_ptr<BoxOrder> order;  // none: a zygote …
  ZygoteKey key;                    // … of this key
};

class Launcher {
 public:
  explicit Launcher(LauncherOptions options) : client_(std::move(options.control)) {
    state_.options = std::move(options);
    ready_ = set_up_launcher(state_, client_);
    watch(client_, &client_);
    if (state_.slot_maker.process) watch(state_.slot_maker.process, &state_.slot_maker);
    if (once_ || !ready_) return;
    for (Box& box : find_boxes(state_)) keep(std::move(box));
  }

  // A launcher without a client has nothing to do: sandboxes live without it, and the next one
  // finds them by their records. Only those of a one-shot launcher end with their client.
  int run() {
    while (client_ || (once_ && !boxes_.empty())) wait_and_serve();
    // While sandboxes live there will be a next one, which is not to wait for a sweep.
    if (!leave_folder() || (once_ && !state_.rootless)) return 0;
    state_.slots.let_go();  // the next one does not know of them
    MountsMade made;
    if (state_.slots.idle && order_slots(state_, {}, 0)) {
      (void)receive_parts(state_.slot_maker, made, true);
    }
    return 0;
  }

 private:
  // False: sandboxes are left there, or the next launcher is.
  bool leave_folder() {
    UniqueFd run = std::move(state_.run);
    if (::flock(run.get(), LOCK_EX | LOCK_NB) != 0) return once_;
    ::unlinkat(run.get(), "boxes", AT_REMOVEDIR);
    // That of a server is nobody else's. By its descriptor: this launcher's root is another one.
    UniqueFd above = open_at(run.get(), "..", O_PATH | O_DIRECTORY);
    const std::string& folder = state_.options.run_folder;
    const char* name = folder.c_str() + folder.rfind('/') + 1;
    return once_ || ::unlinkat(above.get(), name, AT_REMOVEDIR) == 0;
  }

  void watch(const UniqueFd& fd, void* owner) {
    epoll_event event{.events = EPOLLIN, .data = {.ptr = owner}};
    ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd.get(), &event);
  }

  void watch_client(std::uint32_t events) {
    epoll_event event{.events = events, .data = {.ptr = &client_}};
    ::epoll_ctl(events_.get(), EPOLL_CTL_MOD, client_.get(), &event);
  }

  // Closing is not enough: a child that has not executed its program yet holds a copy, and events
  // would still come for an owner that is gone.
  void unwatch(const UniqueFd& fd) { ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd.get(), nullptr); }

  // One descriptor of it at a time: two events of one box would be one too many when it goes.
  Box& keep(Box box) {
    Box& kept = boxes_.insert_or_assign(box.id.text, std::move(box)).first->second;
    watch(kept.building ? kept.building : kept.pidfd, &kept);
    return kept;
  }

  void wait_and_serve() {
    constexpr int kIdle = 250 /* ms */, kAtOnce = 64;
    epoll_event found[kAtOnce];
    int wait = trimming_ || !births_.empty() ? kIdle : -1;
    int count = ::epoll_wait(events_.get(), found, kAtOnce, wait);
    if (trimming_ && count == 0) {
      trimming_ = state_.slots.trim();
      if (!trimming_) look_after_slots();
    }
    // Ends first: a request that follows may want the slot.
    for (int i = 0; i < count; ++i) {
      if (found[i].data.ptr != &client_) ended(found[i].data.ptr);
    }
    for (int i = 0; i < count; ++i) {
      if (found[i].data.ptr == &client_ && client_) serve(found[i].events);
    }
    while (!births_.empty() && births_.front()->deadline <= now_ms()) give_up(*births_.front());
  }

  void ended(void* owner) {
    if (owner == &state_.slot_maker) return slots_made();
    if (owner == &net_) return network_opened();
    for (auto at = pending_.begin(); at != pending_.end(); ++at) {
      if (&*at != owner) continue;
      unwatch(at->helper.process);
      Pending pending = std::move(*at);
      pending_.erase(at);
      return go_on(pending);
    }
    Box& box = *static_cast<Box*>(owner);
    box.building ? look_at(box) : box_ended(box);
  }

  void serve(std::uint32_t events) {
    if ((events & EPOLLOUT) != 0) flush();
    // What a client that is gone asked for would be nobody's.
    if ((events & EPOLLHUP) != 0) return lose_client();
    if ((events & EPOLLIN) == 0) return;
    std::vector<UniqueFd> received;
    ssize_t size = receive_fds(client_.get(), bytes_at(*request_), received);
    if (size == 0) return lose_client();
    if (size < 0) return;
    RequestHeader header;
    int error = check_request(*request_, static_cast<std::size_t>(size), received.size(), header);
    LauncherReply reply{.op = header.op, .id = header.id};
    answer(error == 0 ? handle(received, reply) : failed(Step::kBadRequest, error), reply);
  }

  void answer(const Outcome<bool>& done, LauncherReply& reply) {
    if (!done) {
      reply.status = LauncherStatus::kFailed;
      reply.step = done.error().step;
      reply.errno_value = done.error().errno_value;
    }
    if (!done || *done) send(bytes_of(reply));
  }

  void lose_client() {
    unwatch(client_);
    client_.reset();
    // The only client of a one-shot launcher is gone: so is the reason for its sandbox.
    for (auto& [id, box] : boxes_) {
      if (once_) kill_box(box);
    }
  }

  // Does what the checked request_ asks and fills the reply in. False: a reply comes later.
  Outcome<bool> handle(std::vector<UniqueFd>& received, LauncherReply& reply) {
    if (reply.op == LauncherOp::kCreate) return create(received, reply);
    if (reply.op == LauncherOp::kList) return list();
    if (reply.op == LauncherOp::kZygote) return find_or_start_zygote(received, reply);
    auto found = boxes_.find(reply.id.text);
    if (found == boxes_.end() || found->second.failure) {
      // A launcher that died while it made this one has left its names.
      if (reply.op == LauncherOp::kDestroy) forget_box(state_, reply.id);
      return failed(Step::kUnknownBox, ENOENT);
    }
    Box& box = found->second;
    reply.walls = box.walls;
    if (reply.op == LauncherOp::kDestroy) {
      kill_box(box);
      return false;
    }
    if (reply.op == LauncherOp::kEgress) return order_network(box, reply);
    if (reply.op == LauncherOp::kUsage) {
      reply.usage = box.slot.cgroup.usage();
      struct statfs fs{};
      if (::fstatfs(box.workspace.get(), &fs) == 0) {
        reply.usage.disk_bytes =
            (fs.f_blocks - fs.f_bfree) * static_cast<std::uint64_t>(fs.f_bsize);
      }
    } else if (reply.op == LauncherOp::kLimits) {
      if (!state_.cgroups.available()) return failed(Step::kLimits, EOPNOTSUPP);
      ATOLL_CHECK(box.slot.cgroup.set_limits(request_->limits, box.walls));
    } else {
      bool pause = reply.op == LauncherOp::kFreeze;
      if (pause && box.dying) return failed(Step::kBusy, EBUSY);  // frozen, it would not end
      ATOLL_CHECK(box.slot.cgroup.freeze(pause));
      bool moves = pause && !box.slot.cgroup.is_frozen();
      if (moves) return failed(Step::kCgroup, EINPROGRESS);
    }
    return true;
  }

  Outcome<bool> create(std::vector<UniqueFd>& sources, LauncherReply& reply) {
    ATOLL_CHECK(ready_);
    // A one-shot launcher was told whose files to lend for one sandbox only.
    if (once_ && created_) return failed(Step::kBusy, EBUSY);
    if (boxes_.contains(reply.id.text) || is_pending(reply.id)) return failed(Step::kBusy, EEXIST);
    created_ = true;
    if (waiting_.size() >= kMaxWaiting) return failed(Step::kBusy, EAGAIN);
    complete(state_, *request_);
    auto order = std::make_unique<BoxOrder>(*request_, std::move(sources));
    if (request_->connected != 0) {
      order->connection = std::move(order->sources.back());
      order->sources.pop_back();
    }
    waiting_.push_back(std::move(order));
    serve_waiting();
    return false;
  }

  // Sandboxes get slots as they were asked for. Those that find none wait for atoll-mounts.
  void serve_waiting() {
    while (!waiting_.empty()) {
      range_ = range_of(state_, waiting_.front()->request);
      Outcome<bool> claimed = state_.slots.claim(range_, waiting_.front()->slot);
      if (claimed && !*claimed) break;
      ahead_ = !once_;
      begin(claimed);
    }
    look_after_slots();
  }

  // The first that waits has its slot, or gets none.
  void begin(const Outcome<bool>& claimed) {
    std::unique_ptr<BoxOrder> order = std::move(waiting_.front());
    waiting_.pop_front();
    LauncherReply reply{.op = LauncherOp::kCreate, .id = order->request.header.id};
    answer(claimed ? make_parts(std::move(order), reply) : claimed, reply);
  }

  // Has slots made for those who wait or, ahead of time, for the next one.
  void look_after_slots() {
    if (state_.slot_maker.process) return;  // comes here when it has ended
    bool make = !waiting_.empty() || (ahead_ && !state_.slots.has_kept(range_));
    bool clean = !state_.slots.unclean.empty() || (state_.slots.idle && !trimming_);
    if (!make && !clean) return;
    ahead_ = false;
    constexpr unsigned kTries = 8;
    Outcome<void> ordered = failed(Step::kSlot, EAGAIN);
    if (waiting_.empty() || ++waiting_.front()->tries <= kTries) {
      std::size_t wanted = once_ ? 1 : waiting_.size() + 1 + state_.slots.lent() / 8;
      ordered = order_slots(state_, range_, make ? wanted : 0);
    }
    if (ordered) return watch(state_.slot_maker.process, &state_.slot_maker);
    if (waiting_.empty()) return;
    begin(std::unexpected(ordered.error()));
    serve_waiting();
  }

  void slots_made() {
    unwatch(state_.slot_maker.process);
    reap(state_.slot_maker.process);
    Outcome<void> made = receive_slots(state_);
    // What keeps one zygote from having slots is no reason to refuse others theirs.
    bool theirs = !waiting_.empty() &&
                  state_.made_owner == range_of(state_, waiting_.front()->request).net_owner;
    if (!made && theirs) begin(std::unexpected(made.error()));
    serve_waiting();
  }

  Outcome<bool> make_parts(std::unique_ptr<BoxOrder> order, const LauncherReply& reply) {
    if (!needs_parts(order->request)) return make(*order);
    if (pending_.size() >= kMaxPending) return give_up(*order, {Step::kBusy, EAGAIN});
    Outcome<Helper> helper = order_parts(state_, *order);
    if (!helper) return give_up(*order, helper.error());
    wait_for({std::move(*helper), reply, std::move(order)});
    return false;
  }

  Outcome<bool> make(BoxOrder& order) {
    Outcome<Box> box = create_box(state_, order);
    created_ = box.has_value();  // its client may ask again
    if (!box) return std::unexpected(box.error());
    box->deadline = now_ms() + kBuildTime;
    births_.push_back(&keep(std::move(*box)));
    return false;
  }

  void look_at(Box& box) {
    Failure failure;
    ssize_t size = ::read(box.building.get(), &failure, sizeof failure);
    if (size > 0) return end_building(box, failure);
    if (size < 0) return;
    end_building(box, std::nullopt);
    if (!once_) box.workspace = open_workspace(box.pid);
    if (state_.slots.lent() > kCrowd) box.slot.cgroup.close_doors();
    answer_create(box);
  }

  void end_building(Box& box, std::optional<Failure> failure) {
    unwatch(box.building);
    box.building.reset();
    box.go_ahead.reset();
    watch(box.pidfd, &box);
    box.failure = failure;
    if (failure) kill_box(box);  // its end is the answer
  }

  // Whatever becomes of pid 1: its slot is taken until it has ended.
  void give_up(Box& box) {
    if (box.building) {
      state_.zygotes.distrust(box.slot.net_owner);
      end_building(box, Failure{Step::kExecGuest, ETIMEDOUT});
    }
    answer_create(box);
  }

  // Once.
  void answer_create(Box& box) {
    if (std::erase(births_, &box) == 0) return;
    LauncherReply reply{.op = LauncherOp::kCreate, .id = box.id};
    if (box.failure) return answer(std::unexpected(*box.failure), reply);
    reply.walls = box.walls;
    reply.zygote = box.has_zygote ? 1 : 0;
    answer(true, reply);
  }

  Outcome<bool> give_up(BoxOrder& order, const Failure& failure) {
    state_.take_back(std::move(order.slot));
    return std::unexpected(failure);
  }

  Outcome<bool> find_or_start_zygote(std::vector<UniqueFd>& given, LauncherReply& reply) {
    ATOLL_CHECK(ready_);
    if (pending_.size() >= kMaxPending) return failed(Step::kBusy, EAGAIN);
    ZygoteRequest request;
    std::memcpy(&request, request_.get(), sizeof request);
    UniqueFd report = given.empty() ? UniqueFd() : std::move(given[0]);
    ATOLL_TRY(Helper starter, order_zygote(state_, request.key, report));
    wait_for({std::move(starter), reply, nullptr, request.key});
    return false;
  }

  bool is_pending(const BoxId& id) const {
    auto is = [&](const auto& order) { return order && order->request.header.id.text == id.text; };
    return std::ranges::any_of(waiting_, is) || std::ranges::any_of(pending_, is, &Pending::order);
  }

  void wait_for(Pending pending) {
    Pending& kept = pending_.emplace_back(std::move(pending));
    watch(kept.helper.process, &kept);
  }

  void go_on(Pending& pending) {
    reap(pending.helper.process);
    if (pending.order) return answer(go_on_with_parts(pending), pending.reply);
    Outcome<bool> started = receive_zygote(state_, pending.helper, pending.key);
    pending.reply.zygote = started.value_or(false) ? 1 : 0;
    answer(started ? true : started, pending.reply);
    Zygote* zygote = state_.zygotes.find(pending.key);
    if (zygote == nullptr) return;
    range_ = zygote_slots(zygote->place, zygote->uid);
    ahead_ = true;
    look_after_slots();
  }

  Outcome<bool> go_on_with_parts(Pending& pending) {
    MountsMade made;
    Outcome<std::vector<UniqueFd>> parts = receive_parts(pending.helper, made);
    if (!parts) return give_up(*pending.order, parts.error());
    pending.order->parts = std::move(*parts);
    return make(*pending.order);
  }

  // atoll-net is started with the first order, and again after its end.
  Outcome<bool> order_network(Box& box, const LauncherReply& reply) {
    if (opening_.size() >= kMaxPending) return failed(Step::kBusy, EAGAIN);
    const int given[] = {box.pidfd.get(), state_.host_network.get()};
    if (!net_.process) {
      ATOLL_TRY(net_,
                start_helper(Step::kEgress, state_.net_program, "atoll-net", kNetOrder, given));
      watch(net_.socket, &net_);
    } else if (send_fds(net_.socket.get(), kNetOrder.data(), kNetOrder.size(), given) < 0) {
      return failed(Step::kEgress);
    }
    box.slot.netns.reset();  // so that, whatever becomes of it, no other sandbox gets it
    opening_.push_back(reply);
    return false;
  }

  void network_opened() {
    Failure failure;
    std::vector<UniqueFd> sockets;
    ssize_t size = receive_fds(net_.socket.get(), bytes_at(failure), sockets);
    if (size == sizeof failure && !opening_.empty()) return answer_network(failure, sockets);
    unwatch(net_.socket);
    end_child(net_.process);
    net_ = {};
    while (!opening_.empty()) answer_network({Step::kEgress, EIO}, {});  // it took them along
  }

  // Of replies these alone do not wait for a client that does not read: it may ask again.
  void answer_network(const Failure& failure, std::span<const UniqueFd> sockets) {
    LauncherReply reply = opening_.front();
    opening_.pop_front();
    bool opened = failure.step == Step::kNone && sockets.size() == 2;
    if (!opened) return answer(std::unexpected(failure), reply);
    auto found = boxes_.find(reply.id.text);
    if (found == boxes_.end()) return answer(failed(Step::kUnknownBox, ENOENT), reply);
    Box& box = found->second;
    reply.walls = box.walls |= kEgressOpen;
    const int both[] = {sockets[0].get(), sockets[1].get()};
    bool sent = (once_ || write_record(state_, box)) && backlog_.empty() &&
                send_fds(client_.get(), &reply, sizeof reply, both) >= 0;
    if (!sent) answer(failed(Step::kBusy, EAGAIN), reply);
  }

  bool list() {
    ListReply part;
    part.head.status = LauncherStatus::kListed;
    for (const auto& [id, box] : boxes_) {
      part.ids[part.count++] = box.id;
      if (part.count < kListed) continue;
      send(bytes_of(part));
      part.count = 0;
    }
    part.head.status = LauncherStatus::kOk;
    send(bytes_of(part));
    return false;
  }

  static void kill_box(Box& box) {
    // Frozen processes do not die; pid 1's death takes the whole pid namespace with it.
    (void)box.slot.cgroup.freeze(false);
    box.dying = true;
    send_kill(box.pidfd);
  }

  void box_ended(Box& ended) {
    unwatch(ended.pidfd);
    forget_box(state_, ended.id);
    answer_create(ended);
    Box box = std::move(ended);
    boxes_.erase(box.id.text);
    reap(box.pidfd);
    box.pidfd.reset();
    LauncherReply reply{.status = box.dying ? LauncherStatus::kOk : LauncherStatus::kExited,
                        .op = LauncherOp::kDestroy,
                        .id = box.id,
                        .usage = box.slot.cgroup.usage()};
    if (!box.failure) send(bytes_of(reply));
    state_.take_back(std::move(box.slot));
    trimming_ = !once_;
    if (!state_.slots.unclean.empty()) look_after_slots();  // what a zygote put there from outside
  }

  // No reply is lost and none is waited for: what the socket does not take now waits here. A client
  // that lets too much pile up does not read at all, and is cut off.
  void send(std::string_view bytes) {
    if (!client_) return;
    if (backlog_.empty() && send_now(bytes)) return;
    backlog_.emplace_back(bytes);
    backlog_bytes_ += bytes.size();
    if (backlog_bytes_ > kMaxBacklog) return lose_client();
    watch_client(EPOLLIN | EPOLLOUT);
  }

  bool send_now(std::string_view bytes) {
    ssize_t sent = ::send(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent >= 0 || errno != EAGAIN;  // any other failure is the client's end, seen by epoll
  }

  void flush() {
    while (!backlog_.empty() && send_now(backlog_.front())) {
      backlog_bytes_ -= backlog_.front().size();
      backlog_.pop_front();
    }
    if (backlog_.empty()) watch_client(EPOLLIN);
  }

  static constexpr std::size_t kMaxPending = 64, kMaxWaiting = 1024;
  static constexpr std::size_t kCrowd = 256;          // each of so many should hold few descriptors
  static constexpr std::int64_t kBuildTime = 10'000;  // ms
  static constexpr std::size_t kMaxBacklog = 8 << 20;  // some 50,000 replies
  bool created_ = false;
  bool trimming_ = false;  // there are slots that may have to go
  LauncherState state_;
  const bool& once_ = state_.options.once;
  Outcome<void> ready_;  // a Failure is for the client that asks for a sandbox
  UniqueFd events_{::epoll_create1(EPOLL_CLOEXEC)};
  UniqueFd client_;
  std::deque<std::string> backlog_;
  std::size_t backlog_bytes_ = 0;
  std::map<std::array<char, kBoxIdSize>, Box> boxes_;
  std::list<Pending> pending_;
  Helper net_;
  std::deque<LauncherReply> opening_;              // what it was ordered to open, in turn
  std::deque<std::unique_ptr<BoxOrder>> waiting_;  // for a slot
  SlotRange range_;                                // of the sandbox that was asked for last
  bool ahead_ = false;                             // the next one may want a slot there
  // Creates that are not answered yet, the oldest first: pid 1 builds, or failed and ends.
  std::deque<Box*> births_;
  std::unique_ptr<CreateRequest> request_ = std::make_unique<CreateRequest>();
};

}  // namespace

int run_launcher(LauncherOptions options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(0);  // every file gets the mode that is written beside its name
  return Launcher(std::move(options)).run();
}

}  // namespace atl::engine
