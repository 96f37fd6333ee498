// Memory that this program frees is overwritten first: copies of secrets in requests, and plain
// text of opened connections, do not stay behind. Linked into atoll-egress alone.
#pragma once

namespace atl::egress {

// For what OpenSSL frees; C++ needs no call. Before OpenSSL's first use.
void cleanse_freed_memory();

}  // namespace atl::egress
