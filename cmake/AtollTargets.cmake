# How Atoll's libraries, programs and tests are made. Two flavours of code: ordinary (atoll, tests)
# and "tiny" (launcher and guest: static, no exceptions, no RTTI, small).

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Atoll is built with clang 19 (docs/adr/0001-clang-19.md); use ./dev build.")
endif()

option(ATOLL_SANITIZE "Sanitizers for everything but the static programs, e.g. address,undefined" "")
option(ATOLL_FUZZ "Build the libFuzzer targets" OFF)

set(ATOLL_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
    -Wno-missing-field-initializers -Wno-missing-designated-field-initializers -Wno-c99-designator)
# No path of the machine in what is built; with it, two clones share what the compiler cache holds.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
add_compile_options(${ATOLL_WARNINGS} -fno-plt -ffunction-sections -fdata-sections)
add_link_options(-fuse-ld=mold -Wl,--gc-sections)

add_library(atoll_flags INTERFACE)
target_include_directories(atoll_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
if(ATOLL_SANITIZE)
  target_compile_options(atoll_flags INTERFACE -fsanitize=${ATOLL_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(atoll_flags INTERFACE -fsanitize=${ATOLL_SANITIZE})
endif()

include(AtollTiny)

# Headers are two thirds of the work of the compiler here; precompiled, half of it is left.
# atoll_precompile(TARGET plain|tasks|json [folder/header.hpp …]): a file of cmake/pch and headers of src/. Without
# the time stamp two builds give the same bytes, which is what the compiler cache goes by.
function(atoll_precompile target base)
  set(headers "${CMAKE_SOURCE_DIR}/cmake/pch/${base}.hpp")
  foreach(header IN LISTS ARGN)
    list(APPEND headers "${CMAKE_SOURCE_DIR}/src/${header}")
  endforeach()
  target_precompile_headers(${target} PRIVATE ${headers})
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# atoll_library(NAME SOURCES a.cpp … DEPS lib … [PRECOMPILE …] [TINY_SOURCES a.cpp …] [TINY_DEPS …])
# makes NAME and, with TINY_SOURCES, NAME_tiny from those files for the static programs.
function(atoll_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRECOMPILE;TINY_SOURCES;TINY_DEPS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC atoll_flags ${ARG_DEPS})
    if(ARG_PRECOMPILE)
      atoll_precompile(${name} ${ARG_PRECOMPILE})
    endif()
  endif()
  if(ARG_TINY_SOURCES)
    add_library(${name}_tiny STATIC ${ARG_TINY_SOURCES})
    target_link_libraries(${name}_tiny PUBLIC atoll_tiny_flags ${ARG_TINY_DEPS})
  endif()
endfunction()

# A small static program for tests: ordinary C library, no shared ones, so that it runs in any root.
function(atoll_static_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
  target_link_options(${name} PRIVATE -static -s)
endfunction()

# atoll_test(NAME LABEL unit SOURCES … DEPS … [PRECOMPILE …] [TIMEOUT seconds] [RUN_BY command that takes the program as its last word])
function(atoll_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;DEPS;PRECOMPILE;RUN_BY" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE atoll_flags GTest::gtest GTest::gmock GTest::gtest_main ${ARG_DEPS})
  if(ARG_PRECOMPILE)
    atoll_precompile(${name} ${ARG_PRECOMPILE})
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_RUN_BY} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABEL MATCHES "^(security|leak|bench)$")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
