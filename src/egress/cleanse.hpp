// Overwrites text that held a secret, before its memory goes back to the allocator.
#pragma once

#include <string.h>

#include <string>

#include "egress/protocol.hpp"

namespace atl::egress {

inline void cleanse(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

inline void cleanse(std::optional<Secrets>& secrets) {
  if (!secrets) return;
  for (auto& [name, value] : secrets->values) cleanse(value);
}

// What only the receiver may keep.
inline void cleanse(Request& request) {
  if (request.attach) cleanse(request.attach->secrets);
  if (request.set_policy) cleanse(request.set_policy->secrets);
  if (!request.settings) return;
  for (auto* text : {&request.settings->authority, &request.settings->upstream}) {
    if (*text) cleanse(**text);
  }
}

}  // namespace atl::egress
