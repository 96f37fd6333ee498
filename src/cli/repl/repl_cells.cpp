#include "cli/repl/repl_cells.hpp"

#include <algorithm>
#include <utility>

namespace atl::cli {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kSpace) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

bool is_separator(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line == "# %%" || line == "// %%";
}

struct Open {
  int brackets = 0;
  bool string = false;  // of several lines
};

bool starts_comment(std::string_view code, std::size_t at, Syntax syntax) {
  if (syntax == Syntax::kJavascript) return code.substr(at).starts_with("//");
  bool word = at == 0 || kSpace.contains(code[at - 1]) || code[at - 1] == ';';
  return code[at] == '#' && (syntax == Syntax::kPython || word);
}

// The place behind the string that begins at `at`, npos when it has no end.
std::size_t end_of_string(std::string_view code, std::size_t at, Syntax syntax) {
  char quote = code[at];
  std::string_view closing = code.substr(at, 1);
  if (syntax == Syntax::kPython && code.substr(at).starts_with(std::string(3, quote))) {
    closing = code.substr(at, 3);
  }
  bool one_line = syntax != Syntax::kBash && quote != '`' && closing.size() == 1;  // an error
                                                                                   // closes it
  bool escapes = !(syntax == Syntax::kBash && quote == '\'');
  for (std::size_t i = at + closing.size(); i < code.size(); ++i) {
    if (escapes && code[i] == '\\') {
      ++i;
    } else if (code.substr(i).starts_with(closing)) {
      return i + closing.size();
    } else if (one_line && code[i] == '\n') {
      return i;
    }
  }
  return std::string_view::npos;
}

Open what_is_open(std::string_view code, Syntax syntax) {
  Open open;
  bool has_backtick = syntax == Syntax::kJavascript;
  for (std::size_t at = 0; at < code.size();) {
    char c = code[at];
    if (starts_comment(code, at, syntax)) {
      at = std::min(code.find('\n', at), code.size());
      continue;
    }
    if (c == '"' || c == '\'' || (c == '`' && has_backtick)) {
      at = end_of_string(code, at, syntax);
      if (at == std::string_view::npos) {
        open.string = true;
        return open;
      }
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++open.brackets;
    if (c == ')' || c == ']' || c == '}') open.brackets = std::max(0, open.brackets - 1);
    at += c == '\\' ? 2 : 1;
  }
  return open;
}

bool opens_block(std::string_view line, Syntax syntax) {
  std::string_view text = trimmed(line);
  if (syntax == Syntax::kPython) return text.ends_with(':') || text.starts_with('@');
  if (syntax == Syntax::kJavascript) return false;
  for (std::string_view word : {"then", "do", "else", "in"}) {
    if (text == word || text.ends_with(" " + std::string(word)) ||
        text.ends_with(";" + std::string(word))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::optional<std::string>> CellSplitter::next(bool ended) {
  std::optional<std::string> cell;
  while (!cell) {
    std::size_t end = buffer_.find('\n', seen_);
    bool last = end == std::string::npos;
    if (last && (!ended || buffer_.empty())) break;
    std::string_view line = std::string_view(buffer_).substr(seen_, end - seen_);
    std::size_t behind = last ? buffer_.size() : end + 1;
    if (!is_separator(line) && !(last || (ended && behind == buffer_.size()))) {
      seen_ = behind;
      continue;
    }
    std::size_t size = is_separator(line) ? seen_ : behind;
    if (!is_blank(std::string_view(buffer_).substr(0, size))) cell = buffer_.substr(0, size);
    buffer_.erase(0, behind);
    seen_ = 0;
  }
  if ((cell ? cell->size() : buffer_.size()) > most_) {
    return fail(Code::kTooLarge, "a cell is larger than " + std::to_string(most_ >> 20) + "m");
  }
  return cell;
}

bool CellBuilder::add(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  code_.append(line).append("\n");
  Open open = what_is_open(code_, syntax_);
  if (open.string) return false;
  if (is_blank(line)) return true;
  block_ = block_ || opens_block(line, syntax_);
  return !block_ && open.brackets == 0 && !line.ends_with('\\');
}

std::string CellBuilder::take() {
  block_ = false;
  return std::exchange(code_, {});
}

}  // namespace atl::cli
