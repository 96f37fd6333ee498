# The launcher and the guest: clang, musl and the headers of libc++, fully static, without exceptions
# and RTTI. Started some hundred times a second, they must not pay for a start-up that they do not need:
# 0.1 ms this way, 0.5 ms with glibc (docs/adr/0008-musl-and-libcxx.md).

set(ATOLL_ARCH "${CMAKE_SYSTEM_PROCESSOR}")
find_file(ATOLL_MUSL_CRT1 rcrt1.o PATHS "/usr/lib/${ATOLL_ARCH}-linux-musl" NO_DEFAULT_PATH REQUIRED)
get_filename_component(ATOLL_MUSL_LIB "${ATOLL_MUSL_CRT1}" DIRECTORY)
find_path(ATOLL_LIBCXX_INCLUDE __config PATHS /usr/lib/llvm-19/include/c++/v1 NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir OUTPUT_VARIABLE ATOLL_CLANG_RESOURCES
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# The kernel's own headers, without those of the other C library beside them.
set(ATOLL_UAPI "${CMAKE_BINARY_DIR}/uapi")
file(MAKE_DIRECTORY "${ATOLL_UAPI}")
file(CREATE_LINK /usr/include/linux "${ATOLL_UAPI}/linux" SYMBOLIC)
file(CREATE_LINK /usr/include/asm-generic "${ATOLL_UAPI}/asm-generic" SYMBOLIC)
file(CREATE_LINK "/usr/include/${ATOLL_ARCH}-linux-gnu/asm" "${ATOLL_UAPI}/asm" SYMBOLIC)

add_library(atoll_tiny_flags INTERFACE)
target_include_directories(atoll_tiny_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
# The hardened library checks every index and iterator of vector, span and string.
target_compile_options(atoll_tiny_flags INTERFACE
  --target=${ATOLL_ARCH}-linux-musl -nostdinc
  "SHELL:-isystem ${ATOLL_LIBCXX_INCLUDE}" "SHELL:-isystem /usr/include/${ATOLL_ARCH}-linux-musl"
  "SHELL:-isystem ${ATOLL_CLANG_RESOURCES}/include" "SHELL:-isystem ${ATOLL_UAPI}"
  -D_GNU_SOURCE -D_LIBCPP_HAS_MUSL_LIBC -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_FAST
  -O2 -fPIE -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
  -fstack-protector-strong)
target_link_options(atoll_tiny_flags INTERFACE -nostdlib -static-pie -s
  "${ATOLL_MUSL_LIB}/rcrt1.o" "${ATOLL_MUSL_LIB}/crti.o")

# atoll_tiny_program(NAME SOURCES main.cpp … DEPS lib_tiny …)
function(atoll_tiny_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE atoll_tiny_flags ${ARG_DEPS} atoll_runtime_tiny
    "${ATOLL_MUSL_LIB}/libc.a" "${ATOLL_MUSL_LIB}/crtn.o")
endfunction()
