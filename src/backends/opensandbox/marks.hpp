// Takes a program's output apart from what program_script() says of it. The event stream knows
// lines only: each comes without its end, and a blank one as the end itself. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace atl::backends::opensandbox {

class Marks {
 public:
  enum class Start { kWaiting, kStarted, kNoFolder, kNotFound, kNotExecutable };

  explicit Marks(std::string_view mark) : mark_("\001" + std::string(mark)) {}

  // What of an event's text is the program's, with the ends of its lines put back.
  std::string take_stdout(std::string_view text);
  std::string take_stderr(std::string_view text);

  Start start() const { return start_; }
  int pid() const { return pid_; }
  // Once it has ended by itself: as a shell says it, 128 + signal.
  std::optional<int> code() const { return code_; }
  std::chrono::microseconds cpu_user() const { return cpu_user_; }
  std::chrono::microseconds cpu_system() const { return cpu_system_; }

 private:
  void take_tag(std::string_view tag);
  void take_times(std::string_view line);

  std::string mark_;
  Start start_ = Start::kWaiting;
  int pid_ = 0;
  std::optional<int> code_;
  bool stderr_ended_ = false;
  int times_lines_ = 0;
  std::chrono::microseconds cpu_user_{0};
  std::chrono::microseconds cpu_system_{0};
};

}  // namespace atl::backends::opensandbox
