#include "backends/opensandbox/shell_errors.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace atl::backends::opensandbox {

Error error_from_words(std::string_view complaint) {
  while (complaint.ends_with('\n')) complaint.remove_suffix(1);
  std::string_view line = complaint.substr(complaint.rfind('\n') + 1);
  for (int number : {ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EACCES, EPERM, EROFS, ENOSPC,
                     EDQUOT, ELOOP, ENAMETOOLONG, EINVAL, EBUSY}) {
    const char* words = ::strerrordesc_np(number);
    if (line.find(words) != std::string_view::npos) {
      Code code = number == ENOTEMPTY ? Code::kAlreadyExists : code_from_errno(number);
      if (number == ENOTDIR || number == EISDIR || number == ELOOP || number == ENAMETOOLONG) {
        code = Code::kInvalidArgument;
      }
      return {code, words, number};
    }
  }
  return {Code::kIo,
          line.empty() ? "the sandbox did not say why" : std::string(line.substr(0, 200))};
}

}  // namespace atl::backends::opensandbox
