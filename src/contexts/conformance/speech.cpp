#include "contexts/conformance/speech.hpp"

#include <unistd.h>

#include <utility>

namespace atl::contexts {

namespace {

const Speech kPython{
    .language = Language::kPython,
    .remember = "x = 41\ndef f(): return x + 1",
    .recall = "f()",
    .print = "print('hello')",
    .print_both = "import sys\nprint('1')\nprint('2', file=sys.stderr)\nprint('3')",
    .raise = "print('before')\n1/0",
    .endless = "print('started')\nwhile True: pass",
    .sleep = "import time\nprint('started')\ntime.sleep(1000)",
    .deaf =
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        "print('started')\nwhile True: pass",
    .exit = "import os\nos._exit(3)",
    .segfault = "import ctypes\nctypes.string_at(0)",
    .kill = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    .flood = "while True: print('x' * 10000)",
    .where = "import os\nprint(os.getcwd())",
    .variable = "import os\nprint(os.environ['GREETING'])",
    .read_input = "try:\n  input()\nexcept EOFError:\n  print('end')",
    .start = "start = lambda words: __import__('subprocess').Popen(words.split()) and None\nstart",
    .child_prints = "import subprocess\nsubprocess.run(['echo', 'child'])\nprint('parent')",
};

const Speech kJavascript{
    .language = Language::kJavascript,
    .remember = "const x = 41; function f() { return x + 1; }",
    .recall = "f()",
    .print = "console.log('hello')",
    .print_both = "console.log('1'); console.error('2'); console.log('3')",
    .raise = "console.log('before'); null.property",
    .endless = "console.log('started'); while (true) {}",
    .sleep = "console.log('started'); await new Promise(() => setInterval(() => {}, 1000))",
    .deaf = "",
    .exit = "process.reallyExit(3)",
    .segfault = "process.kill(process.pid, 'SIGSEGV'); while (true) {}",
    .kill = "process.kill(process.pid, 'SIGKILL'); while (true) {}",
    .flood = "while (true) console.log('x'.repeat(10000))",
    .where = "console.log(process.cwd())",
    .variable = "console.log(process.env.GREETING)",
    .read_input = "if (require('fs').readFileSync(0).length === 0) console.log('end')",
    .start =
        "var start = (words) => { const [program, ...rest] = words.split(' ');"
        "  require('child_process').spawn(program, rest); };\nstart",
    .child_prints =
        "require('child_process').spawnSync('echo', ['child'], {stdio: 'inherit'});"
        "console.log('parent')",
};

const Speech kBash{
    .language = Language::kBash,
    .remember = "x=41\nf() { echo $((x + 1)); }",
    .recall = "f",
    .print = "echo hello",
    .print_both = "echo 1; echo 2 >&2; echo 3",
    .raise = "echo before; false",
    .endless = "echo started; while :; do :; done",
    .sleep = "echo started; sleep 1000",
    .deaf = "trap '' INT; echo started; while :; do :; done",
    .exit = "",
    .segfault = "",
    .kill = "kill -9 $$",
    .flood = "yes",
    .where = "pwd",
    .variable = "echo $GREETING",
    .read_input = "read line || echo end",
    .start = "start() { $1 & }\nstart ",
    .child_prints = "/bin/echo child; echo parent",
};

struct Interrupter {
  Context* context;
  bool sent = false;
};

Task<Result<void>> interrupt_once(Interrupter* state, const RunEvent* event) {
  bool started = event->kind == EventKind::kStdout && event->bytes.contains("started");
  if (!started || std::exchange(state->sent, true)) co_return Result<void>();
  ATOLL_CO_TRY(bool hit, co_await state->context->interrupt());
  EXPECT_TRUE(hit);
  co_return Result<void>();
}

}  // namespace

const Speech& speech_of(Language language) {
  static const Speech kTypescript = [] {
    Speech speech = kJavascript;
    speech.language = Language::kTypescript;
    return speech;
  }();
  switch (language) {
    case Language::kPython: return kPython;
    case Language::kJavascript: return kJavascript;
    case Language::kTypescript: return kTypescript;
    case Language::kBash: return kBash;
  }
  return kPython;
}

Task<Result<std::unique_ptr<Context>>> open_context(Box* box, const Speech* speech) {
  return Context::open(box->sandbox.get(), {.language = speech->language});
}

Task<void> in_zygote_sandbox(Box* box, Task<void> (*body)(Box*, const Speech*)) {
  if (::geteuid() != 0) co_return;  // zygotes need root
  // It may not leave before the sandbox is made, however long the other one takes to stop.
  sandbox::Preload preload{.idle = std::chrono::seconds(60)};
  ATOLL_NEED(sandbox::ZygoteReport ready, co_await box->backend->prepare(preload));
  ATOLL_NEED_OK(co_await box->sandbox->stop());
  sandbox::SandboxSpec spec = box->target->spec();
  spec.preload = preload;
  ATOLL_NEED(box->sandbox, co_await box->backend->create(std::move(spec)));
  ATOLL_NEED_OK(co_await box->sandbox->start());
  EXPECT_TRUE(box->sandbox->status().has_zygote);
  co_await body(box, &speech_of(Language::kPython));
}

std::string answer(const RunResult& result) {
  for (const Shown& shown : result.shown) {
    if (shown.is_result) return shown.bundle.string("text/plain").value_or("");
  }
  std::string text = result.stdout_bytes;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Task<Result<RunResult>> run_and_interrupt(Context* context, std::string code) {
  Interrupter state{.context = context};
  OnEvent on_event = [&state](const RunEvent* event) { return interrupt_once(&state, event); };
  co_return co_await context->run({.code = std::move(code), .on_event = std::move(on_event)});
}

}  // namespace atl::contexts
