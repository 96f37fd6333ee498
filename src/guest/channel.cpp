#include "guest/channel.hpp"

#include <algorithm>
#include <cstring>

#include "guest/connection.hpp"

namespace atl::guest {

Server& Channel::server() { return connection_.server(); }

void Channel::schedule() { connection_.schedule(*this); }

bool Channel::on_credit(std::uint8_t, std::uint32_t) { return false; }

bool Channel::take_window(std::size_t bytes) {
  if (bytes > window_) return false;
  window_ -= bytes;
  return true;
}

void Channel::consumed(std::size_t bytes) {
  owed_ += bytes;
  // Few, large credits: the host has three quarters of the window left meanwhile.
  if (owed_ < kWindow / 4 || finished_) return;
  connection_.send(FrameType::kCredit, id_, kStdin,
                   Writer().number(static_cast<std::uint32_t>(owed_)).bytes());
  window_ += owed_;
  owed_ = 0;
}

void Channel::reply(std::string_view result) { connection_.reply(id_, result); }

void Channel::fail_with(const Error& error) {
  connection_.reply(id_, error);
  finish();
}

void Channel::finish() {
  if (finished_) return;
  finished_ = true;
  connection_.send(FrameType::kClose, id_, 0, {});
}

bool SourceChannel::on_credit(std::uint8_t stream, std::uint32_t bytes) {
  if (stream != kStdout || bytes > kWindow - credit_) return false;
  credit_ += bytes;
  schedule();
  return true;
}

bool SourceChannel::produce() {
  if (credit_ == 0) return false;
  std::span<char> room = connection().begin_data(std::min(credit_, kMaxPayload));
  Filled filled = fill(room);
  if (finished()) return false;
  if (filled.size > 0) connection().end_data(id(), kStdout, filled.size);
  credit_ -= filled.size;
  if (filled.more == More::kEnd) ended();
  return filled.more == More::kYes;
}

void SourceChannel::ended() {
  connection().send(FrameType::kEof, id(), kStdout, {});
  finish();
}

SourceChannel::Filled RecordChannel::fill(std::span<char> room) {
  if (sent_ == pending_.size()) {
    pending_.clear();
    sent_ = 0;
    More state = more(pending_);
    last_ = state == More::kEnd;
    if (pending_.empty()) return {0, state};
  }
  std::size_t size = std::min(room.size(), pending_.size() - sent_);
  std::memcpy(room.data(), pending_.data() + sent_, size);
  sent_ += size;
  return {size, last_ && sent_ == pending_.size() ? More::kEnd : More::kYes};
}

}  // namespace atl::guest
