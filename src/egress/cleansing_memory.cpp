#include "egress/cleansing_memory.hpp"

#include <malloc.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

// Sanitizers have an allocator of their own.
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)

namespace {

void overwrite_and_free(void* memory) {
  if (memory == nullptr) return;
  ::explicit_bzero(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

void* move(void* memory, std::size_t size) {
  if (size == 0) {
    overwrite_and_free(memory);
    return nullptr;
  }
  void* made = std::malloc(size);
  if (made == nullptr || memory == nullptr) return made;
  std::memcpy(made, memory, std::min(size, ::malloc_usable_size(memory)));
  overwrite_and_free(memory);
  return made;
}

}  // namespace

void operator delete(void* memory) noexcept { overwrite_and_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { overwrite_and_free(memory); }
void operator delete[](void* memory) noexcept { overwrite_and_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { overwrite_and_free(memory); }

void atl::egress::cleanse_freed_memory() {
  CRYPTO_set_mem_functions(
      [](std::size_t size, const char*, int) { return size == 0 ? nullptr : std::malloc(size); },
      [](void* memory, std::size_t size, const char*, int) { return move(memory, size); },
      [](void* memory, const char*, int) { overwrite_and_free(memory); });
}

#else

void atl::egress::cleanse_freed_memory() {}

#endif
