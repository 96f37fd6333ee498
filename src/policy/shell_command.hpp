// What one command of a shell does, by its words: the same for a command line and for the words of
// a command that is run without a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/reporter.hpp"

namespace atl::policy {

// A word; nothing when it is known only when the script runs.
struct Word {
  std::optional<std::string> text;
  bool from_command = false;  // out of $(…), `…` or <(…)
};

struct CommandPlace {
  bool reads_pipe = false;                // its stdin is another command's output
  std::optional<std::string> stdin_text;  // a here-document or here-string
  bool stdin_unknown = false;             // one that is known only when the script runs
  bool in_root = false;                   // behind a `cd /`
  int depth = 0;
};

// `node` is where findings are shown.
void judge_command(std::vector<Word> words, const CommandPlace& place, const Node& node,
                   Reporter& reporter);
// Whether a file there is neither in /workspace nor in /tmp nor a device for output.
bool is_outside(std::string_view path);
bool is_root_folder(const std::string& path);
bool is_interpreter(std::string_view command);

}  // namespace atl::policy
