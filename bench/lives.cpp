#include "lives.hpp"

#include <sys/epoll.h>

#include <array>
#include <utility>

namespace atl::bench {

Life::Life(const Target& target, const Deed& deed, bool in_one_call)
    : target_(target), deed_(deed), connection_(target.port), in_one_call_(in_one_call) {
  std::string of = R"({"template_id":")" + deed.template_id + "\"";
  first_ = in_one_call ? target.request("POST", "/api/v1/run", of + "," + deed.body + "}")
                       : target.request("POST", "/api/v1/sessions", of + "}", "Prefer: wait\r\n");
}

void Life::begin() {
  failure_.clear();
  step_ = in_one_call_ ? Step::kRun : Step::kCreate;
  begun_ = Clock::now();
  connection_.send(first_);
}

bool Life::go_on(bool wait) {
  while (connection_.receive(wait)) {
    if (std::optional<Reply> reply = connection_.take()) return take(*reply);
  }
  return false;
}

void Life::run() {
  begin();
  while (!go_on(true)) {
  }
}

bool Life::end() {
  whole_time_ = ms_since(begun_);
  step_ = Step::kOver;
  return true;
}

bool Life::fail(const Reply& reply) {
  failure_ = std::to_string(reply.status) + " " + reply.body;
  return end();
}

void Life::take_result(const Reply& reply) {
  result_time_ = ms_since(begun_);
  bool good = reply.status == 200 && reply.body.find("\"exit_code\":0") != std::string::npos &&
              reply.body.find("\"stdout\":\"" + deed_.output + "\"") != std::string::npos;
  if (!good) failure_ = std::to_string(reply.status) + " " + reply.body;
}

bool Life::take(const Reply& reply) {
  switch (step_) {
    case Step::kCreate:
      create_time_ = ms_since(begun_);
      if (reply.status != 201) return fail(reply);
      id_ = string_member(reply.body, "id");
      step_ = Step::kExecute;
      connection_.send(target_.request("POST", "/api/v1/sessions/" + id_ + "/execute",
                                       "{" + deed_.body + "}", "Prefer: wait=60\r\n"));
      return false;
    case Step::kExecute:
      take_result(reply);
      step_ = Step::kDelete;
      connection_.send(target_.request("DELETE", "/api/v1/sessions/" + id_));
      return false;
    case Step::kDelete:
      if (reply.status != 204) return fail(reply);
      return end();
    case Step::kRun: take_result(reply); return end();
    case Step::kOver: break;
  }
  give_up("an answer that nobody asked for");
}

void run_together(std::vector<Life>& lives, std::chrono::microseconds apart,
                  const std::function<bool(Life&)>& again) {
  UniqueFd poll(::epoll_create1(EPOLL_CLOEXEC));
  for (std::size_t i = 0; i < lives.size(); ++i) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, lives[i].fd(), &event);
  }
  Clock::time_point start = Clock::now();
  std::size_t begun = 0, over = 0;
  std::array<epoll_event, 64> events;
  while (over < lives.size()) {
    while (begun < lives.size() && Clock::now() >= start + apart * begun) lives[begun++].begin();
    int timeout = begun < lives.size() ? 1 : 60'000;
    int count = ::epoll_wait(poll.get(), events.data(), events.size(), timeout);
    if (count == 0 && timeout > 1) give_up("no answer for a minute");
    for (int i = 0; i < count; ++i) {
      Life& life = lives[events[static_cast<std::size_t>(i)].data.u64];
      if (!life.go_on(false)) continue;
      if (again(life)) {
        life.begin();
      } else {
        ++over;
      }
    }
  }
}

}  // namespace atl::bench
