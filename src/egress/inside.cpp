#include "egress/inside.hpp"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/unique_fd.hpp"
#include "base/write_all.hpp"
#include "egress/authority.hpp"
#include "egress/placeholders.hpp"
#include "egress/trust_store.hpp"

namespace atl::egress {
namespace {

constexpr std::size_t kMostRoots = std::size_t{16} << 20;

constexpr std::array kRootFiles{"/etc/ssl/certs/ca-certificates.crt",
                                "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                "/etc/ssl/cert.pem"};

// Each is the whole bundle: most programs replace their own by it.
constexpr std::array kTrustVariables{"SSL_CERT_FILE",
                                     "CURL_CA_BUNDLE",
                                     "REQUESTS_CA_BUNDLE",
                                     "PIP_CERT",
                                     "GIT_SSL_CAINFO",
                                     "CARGO_HTTP_CAINFO",
                                     "NODE_EXTRA_CA_CERTS",
                                     "AWS_CA_BUNDLE",
                                     "DENO_CERT",
                                     "NIX_SSL_CERT_FILE",
                                     "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"};

// nullopt: there is no such file.
Result<std::optional<std::string>> read_whole(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) return fail_errno("reading a file of the authority");
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0) return fail_errno("reading a file of the authority");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMostRoots) return fail(Code::kTooLarge, "the bundle of roots is too large");
  }
}

// As a whole or not at all: a sandbox that is made meanwhile sees the old one.
Result<void> write_whole(const std::string& path, std::string_view text, mode_t mode) {
  std::string aside = path + ".new";
  ::unlink(aside.c_str());
  UniqueFd file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file || ::fchmod(file.get(), mode) != 0) return fail_errno("making a file of the authority");
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 ||
      ::rename(aside.c_str(), path.c_str()) != 0) {
    return fail_errno("writing a file of the authority");
  }
  return {};
}

Result<void> keep_file(const std::string& path, std::string_view text, mode_t mode) {
  ATOLL_TRY(std::optional<std::string> there, read_whole(path));
  if (there && *there == text) return {};
  return write_whole(path, text, mode);
}

Result<Authority> authority_of(const std::string& path) {
  ATOLL_TRY(std::optional<std::string> pem, read_whole(path));
  if (pem) return Authority::parse(*pem);
  ATOLL_TRY(Authority made, Authority::make(Authority::Clock::now()));
  ATOLL_TRY(std::string text, made.pem());
  ATOLL_CHECK(write_whole(path, text, 0600));
  return made;
}

std::string roots_of_host() {
  for (const char* path : kRootFiles) {
    Result<std::optional<std::string>> text = read_whole(path);
    if (text && *text) return std::move(**text);
  }
  return {};
}

}  // namespace

bool needs_trust(const model::NetworkPolicy& policy) {
  return !policy.headers.empty() || !policy.secrets.empty();
}

std::string placeholder_of(std::string_view sandbox, std::string_view env) {
  std::string text = "placeholder ";
  text.append(sandbox).append(" ").append(env);
  unsigned char sum[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string placeholder(kPlaceholderPrefix);
  for (std::size_t i = 0; placeholder.size() < kPlaceholderSize; ++i) {
    (placeholder += kDigits[sum[i] >> 4]) += kDigits[sum[i] & 15];
  }
  return placeholder;
}

std::map<std::string, std::string> environment_inside(std::string_view sandbox,
                                                      const model::NetworkPolicy& policy) {
  std::map<std::string, std::string> variables;
  if (!needs_trust(policy)) return variables;
  for (const char* name : kTrustVariables) variables[name] = kBundleInside;
  for (const model::SecretUse& use : policy.secrets) {
    variables[use.env] = placeholder_of(sandbox, use.env);
  }
  return variables;
}

Result<TrustFiles> trust_files(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno("making the folder of the authority");
  }
  TrustFiles files{.bundle = folder + "/ca-certificates.crt",
                   .java_store = folder + "/cacerts.jks"};
  ATOLL_TRY(Authority authority, authority_of(folder + "/authority.pem"));
  ATOLL_TRY(files.authority, authority.pem());
  ATOLL_TRY(std::string certificate, authority.certificate_pem());
  std::string bundle = pem_trust_store(roots_of_host(), certificate);
  ATOLL_CHECK(keep_file(files.bundle, bundle, 0644));
  ATOLL_TRY(std::string java, java_trust_store(bundle));
  ATOLL_CHECK(keep_file(files.java_store, java, 0644));
  return files;
}

}  // namespace atl::egress
