// What the context cases say in each language. A case is written once and runs for every language
// that it makes sense for:
//
//   Task<void> keeps_state(Box* box, const Speech* speech) { … }
//   ATOLL_CONTEXT_CASE(ContextKeepsState, keeps_state)
#pragma once

#include <memory>
#include <string>

#include "contexts/contexts.hpp"
#include "sandbox/conformance.hpp"

namespace atl::contexts {

using async::Task;
using sandbox::Box;
using sandbox::Cap;
using sandbox::Conformance;

struct Speech {
  Language language = Language::kPython;
  std::string remember;      // something
  std::string recall;        // it: answers 42
  std::string print;         // "hello\n"
  std::string print_both;    // "1" to stdout, "2" to stderr, "3" to stdout
  std::string raise;         // fails with exit code 1
  std::string endless;       // prints "started", then computes for ever
  std::string sleep;         // prints "started", then waits for ever
  std::string deaf;          // prints "started", then cannot be interrupted
  std::string exit;          // the interpreter, with code 3, at once
  std::string segfault;      // of the interpreter; empty: bash catches even that
  std::string kill;          // itself, with SIGKILL
  std::string flood;         // stdout, for ever
  std::string where;         // prints the working folder
  std::string variable;      // prints the variable GREETING
  std::string read_input;    // prints "end" when there is nothing to read
  std::string start;         // is called with 'PROGRAM ARGUMENT': starts it and goes on
  std::string child_prints;  // a child prints "child", then this prints "parent"
};

const Speech& speech_of(Language language);

Task<Result<std::unique_ptr<Context>>> open_context(Box* box, const Speech* speech);
// The value of the last expression as text, or what was printed where there are no values.
std::string answer(const RunResult& result);
// Runs code that prints "started", and interrupts it then.
Task<Result<RunResult>> run_and_interrupt(Context* context, std::string code);

// Puts a sandbox whose Python comes from a zygote into the box, and runs the case there.
Task<void> in_zygote_sandbox(Box* box, Task<void> (*body)(Box*, const Speech*));

template <Task<void> (*Body)(Box*, const Speech*)>
Task<void> from_zygote(Box* box) {
  return in_zygote_sandbox(box, Body);
}

template <Language In, Task<void> (*Body)(Box*, const Speech*)>
Task<void> in_language(Box* box) {
  return Body(box, &speech_of(In));
}

}  // namespace atl::contexts

#define ATOLL_CONTEXT_CASE_IN(language, name, body, ...)                       \
  TEST_P(Conformance, name##language) {                                        \
    run(&in_language<Language::k##language, body> __VA_OPT__(, ) __VA_ARGS__); \
  }                                                                            \
  static_assert(true)
#define ATOLL_CONTEXT_CASE(name, body, ...)                                 \
  ATOLL_CONTEXT_CASE_IN(Python, name, body __VA_OPT__(, ) __VA_ARGS__);     \
  ATOLL_CONTEXT_CASE_IN(Javascript, name, body __VA_OPT__(, ) __VA_ARGS__); \
  ATOLL_CONTEXT_CASE_IN(Bash, name, body __VA_OPT__(, ) __VA_ARGS__)
// Python again, forked from a zygote.
#define ATOLL_ZYGOTE_CASE(name, body)                                             \
  TEST_P(Conformance, name##Zygote) { run(&from_zygote<body>, {Cap::kZygotes}); } \
  static_assert(true)
