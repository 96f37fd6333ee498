// What the static programs need of a C++ run-time library. They are built from libc++'s headers
// alone (docs/adr/0008-musl-and-libcxx.md): its compiled part is made for another C library.
#include <cstdlib>
#include <new>
#include <string>

// Out of memory ends the process (house rule), so nothing here throws.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" [[noreturn]] void __cxa_pure_virtual() { std::abort(); }

_LIBCPP_BEGIN_NAMESPACE_STD

[[noreturn]] void __libcpp_verbose_abort(const char*, ...) { std::abort(); }

// The headers promise these to be in the library.
template class basic_string<char>;
template string operator+ <char, char_traits<char>, allocator<char>>(const char*, const string&);

_LIBCPP_END_NAMESPACE_STD
