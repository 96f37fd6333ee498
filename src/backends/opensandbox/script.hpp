// Shell text for a sandbox that is reached through its `sh` alone. Pure. What is started says,
// behind a mark that nobody else knows, what the event stream cannot carry: why a program could not
// be started, its process id, whether its last line had an end, and how it ended.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "guest/messages.hpp"

namespace atl::backends::opensandbox {

// One word for a shell, whatever is in it. Bytes that are no UTF-8 need a shell that knows $'…'.
std::string quote(std::string_view word);
// `body` with its positional parameters set.
std::string with_words(std::string_view body, std::initializer_list<std::string_view> words);
// Runs the program with its input from `input`, a path inside.
std::string program_script(const guest::ExecArgs& args, std::string_view mark,
                           std::string_view input);

}  // namespace atl::backends::opensandbox
