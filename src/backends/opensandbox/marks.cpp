#include "backends/opensandbox/marks.hpp"

#include <charconv>
#include <cstdio>

namespace atl::backends::opensandbox {
namespace {

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string line_of(std::string_view text) {
  std::string line(text);
  if (!line.ends_with('\n')) line += '\n';
  return line;
}

}  // namespace

std::string Marks::take_stdout(std::string_view text) {
  if (code_) {
    take_times(text);
    return {};
  }
  std::size_t at = text.find(mark_);
  if (at == std::string_view::npos) return line_of(text);
  take_tag(text.substr(at + mark_.size()));
  return std::string(text.substr(0, at));
}

std::string Marks::take_stderr(std::string_view text) {
  if (stderr_ended_) return {};
  std::size_t at = text.find(mark_);
  if (at == std::string_view::npos) return line_of(text);
  stderr_ended_ = true;
  return std::string(text.substr(0, at));
}

void Marks::take_tag(std::string_view tag) {
  if (tag.empty()) return;
  std::string_view rest = tag.substr(1);
  switch (tag.front()) {
    case 'C': start_ = Start::kNoFolder; break;
    case 'N': start_ = Start::kNotFound; break;
    case 'X': start_ = Start::kNotExecutable; break;
    case 'S':
      start_ = Start::kStarted;
      pid_ = number_of(rest);
      break;
    case 'E': code_ = number_of(rest); break;
    default: break;
  }
}

// The second line of `times` is about what the shell has waited for: "0m0.012s 0m0.003s".
void Marks::take_times(std::string_view line) {
  if (++times_lines_ != 2) return;
  double user_minutes = 0;
  double user = 0;
  double system_minutes = 0;
  double system = 0;
  std::string text(line);
  if (std::sscanf(text.c_str(), "%lfm%lfs %lfm%lfs", &user_minutes, &user, &system_minutes,
                  &system) != 4) {
    return;
  }
  auto microseconds = [](double minutes, double seconds) {
    return std::chrono::microseconds(static_cast<long>((minutes * 60 + seconds) * 1e6));
  };
  cpu_user_ = microseconds(user_minutes, user);
  cpu_system_ = microseconds(system_minutes, system);
}

}  // namespace atl::backends::opensandbox
