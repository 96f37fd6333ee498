// A host's view of one execution: its output as far as the host takes it, its exit, its stdin.
#pragma once

#include "guest/channel.hpp"
#include "guest/execution.hpp"

namespace atl::guest {

class ExecChannel final : public Channel {
 public:
  ExecChannel(Connection& connection, std::uint32_t id, Execution& execution);
  ~ExecChannel() override;

  void on_data(std::string_view bytes) override;
  void on_eof() override;
  bool on_credit(std::uint8_t stream, std::uint32_t bytes) override;
  bool produce() override;

  // Called by the execution.
  void wake() { schedule(); }
  void input_consumed(std::size_t bytes);
  void taken_over() { finish(); }

 private:
  bool send_output(std::uint8_t stream);
  void send_exit();

  Execution& execution_;
  std::size_t foreign_;  // input that still waits, but came over an earlier channel
  bool eof_sent_[4] = {};
};

}  // namespace atl::guest
