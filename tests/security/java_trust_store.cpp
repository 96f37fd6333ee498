// A PEM bundle on stdin becomes a JKS file on stdout: what a sandbox's Java gets, for tests.
#include <cstdio>
#include <string>

#include "egress/trust_store.hpp"

int main() {
  std::string bundle;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    bundle.append(buffer, got);
  }
  atl::Result<std::string> store = atl::egress::java_trust_store(bundle);
  return store && std::fwrite(store->data(), 1, store->size(), stdout) == store->size() ? 0 : 1;
}
