#pragma once

#include <cstddef>

namespace atl::guest {

// What of the host a sandbox without an image sees, read-only: the system's folders, and parts of
// /etc that programs cannot do without and that hold no secrets.
inline constexpr const char* kHostPlaces[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
    // all below /etc
    "/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
    "/etc/localtime", "/etc/mime.types", "/etc/fonts", "/etc/java-17-openjdk", "/etc/matplotlibrc"};
inline constexpr std::size_t kHostFolders = 7;  // of these are not below /etc

}  // namespace atl::guest
