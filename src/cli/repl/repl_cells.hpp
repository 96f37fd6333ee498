// Cuts what is typed or piped into `atoll repl` into cells.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

// How a language writes strings, comments and blocks.
enum class Syntax { kPython, kJavascript, kBash };

// Input from a pipe: cells stand between lines that are exactly "# %%" or "// %%". Those without a
// word in them are left out.
class CellSplitter {
 public:
  explicit CellSplitter(std::size_t most) : most_(most) {}
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The next cell that is complete; with `ended` also the last one. kTooLarge beyond `most`.
  Result<std::optional<std::string>> next(bool ended);

 private:
  std::size_t most_;
  std::string buffer_;    // what is not cut yet
  std::size_t seen_ = 0;  // of it: lines that are known to be no separator
};

// Lines from a terminal: most are a cell of their own. One that opens a bracket, a string of
// several lines or a block (a line that ends in a colon, `then` or `do`), or that ends in a
// backslash, goes on; an empty line ends what an open bracket or a block began.
class CellBuilder {
 public:
  explicit CellBuilder(Syntax syntax) : syntax_(syntax) {}
  // Without its end of line. True when the cell is complete.
  bool add(std::string_view line);
  std::string take();
  bool empty() const { return code_.empty(); }

 private:
  Syntax syntax_;
  bool block_ = false;
  std::string code_;
};

}  // namespace atl::cli
