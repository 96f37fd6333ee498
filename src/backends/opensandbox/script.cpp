#include "backends/opensandbox/script.hpp"

#include <array>
#include <cstdio>

#include "base/utf8.hpp"

namespace atl::backends::opensandbox {
namespace {

// The signals that a caller may send to the group reach this shell as well, which must live on to
// tell the end; the program itself starts with the defaults again. Descriptor 8 keeps what the
// shell has to say of a killed program out of that program's stderr.
constexpr std::string_view kBefore = R"(
trap : HUP INT QUIT ALRM TERM USR1 USR2 PIPE
say() { printf '\001%s%s\n' "$mark" "$1"; }
cd -- "$folder" 2>/dev/null || { say C; exit 0; }
case $1 in
*/*) program=$1;;
*) program=; fields=$IFS; IFS=:
   for place in $PATH; do
     if [ -f "$place/$1" ] && [ -x "$place/$1" ]; then program=$place/$1; break; fi
   done
   IFS=$fields;;
esac
{ [ -n "$program" ] && [ -e "$program" ]; } || { say N; exit 0; }
{ [ -f "$program" ] && [ -x "$program" ]; } || { say X; exit 0; }
shift
say "S$$"
exec 8>&2 2>/dev/null
( unset mark folder input place fields; exec "$program" "$@" 2>&8 8>&- ) < "$input"
code=$?
say "E$code"
times
say E >&8
exit $code
)";

}  // namespace

std::string quote(std::string_view word) {
  if (is_utf8(word)) {
    std::string text = "'";
    for (char byte : word) text += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
    return text += '\'';
  }
  std::string text = "$'";
  for (char byte : word) {
    std::array<char, 8> octal{};
    std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(byte));
    text += octal.data();
  }
  return text += '\'';
}

std::string with_words(std::string_view body, std::initializer_list<std::string_view> words) {
  std::string text = "set --";
  for (std::string_view word : words) text.append(" ").append(quote(word));
  return text.append("\nexport LC_ALL=C\n").append(body);
}

std::string program_script(const guest::ExecArgs& args, std::string_view mark,
                           std::string_view input) {
  std::string text = "set --";
  for (const std::string& word : args.argv) text.append(" ").append(quote(word));
  text.append("\nmark=").append(quote(mark));
  text.append(" folder=").append(quote(args.cwd));
  text.append(" input=").append(quote(input));
  return text.append(kBefore);
}

}  // namespace atl::backends::opensandbox
