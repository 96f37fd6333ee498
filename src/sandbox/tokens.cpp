#include "sandbox/tokens.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/unique_fd.hpp"
#include "base/write_all.hpp"

namespace atl::sandbox {

Result<guest::Token> Tokens::make(const SandboxId& id) const {
  guest::Token token;
  if (::getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()))
    return fail_errno("getrandom");
  if (folder_.empty()) return token;
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return fail_errno("make token folder");
  UniqueFd file(
      ::open(path(id).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail_errno("create token file");
  std::string_view bytes(reinterpret_cast<const char*>(token.data()), token.size());
  if (!write_all(file.get(), bytes)) return fail_errno("write token file");
  return token;
}

Result<guest::Token> Tokens::find(const SandboxId& id) const {
  guest::Token token;
  UniqueFd file(folder_.empty() ? -1 : ::open(path(id).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file ||
      ::read(file.get(), token.data(), token.size()) != static_cast<ssize_t>(token.size())) {
    return fail(Code::kNotFound, "nothing is known of this sandbox");
  }
  return token;
}

std::vector<SandboxId> Tokens::all() const {
  std::vector<SandboxId> ids;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    if (entry.path().extension() == kExtension) ids.emplace_back(entry.path().stem().string());
  }
  return ids;
}

void Tokens::forget(const SandboxId& id) const {
  if (!folder_.empty()) ::unlink(path(id).c_str());
}

}  // namespace atl::sandbox
