"""Which tests run in the machine (docs/adr/0026-vm-in-ci.md)."""
import dataclasses
import shlex


@dataclasses.dataclass(frozen=True)
class Part:
    """One run of ctest: the tests of these names (regular expressions), and of programs that can choose, only these cases."""
    tests: tuple = ()
    cases: str = "*"
    labels: tuple = ()


@dataclasses.dataclass(frozen=True)
class Set:
    parts: tuple
    deadline: int          # seconds from the boot of an emulated machine to the last result
    leak_cycles: int
    packages: tuple = ()   # beyond those of every root
    caches: tuple = ()     # folders of this host that the tests find below vm-cache in the tree


# The cases whose outcome depends on the version of cgroups: limits, usage, freezing, the end of a sandbox.
CGROUP_CASES = ":".join(f"*.{name}*" for name in (
    "ReportsUsage", "UsageBeginsAnew", "ReportsWhatAnExecutionUsed", "PausesAndResumes", "StopEndsEverything",
    "SurvivesItsClient", "MemoryIsLimited", "ProcessesAreLimited", "TheGuestOutlives", "TheGuestsLimits",
    "ContextOutOfMemory"))
# What zygotes put into groups of sandboxes, and what their own group holds.
ZYGOTE_CASES = ":".join(f"*{name}*" for name in (
    "gains_nothing", "oom_kill", "spins", "started_ends", "needs_no_launcher", "running_copies",
    # and what hostile ones get of groups: of the other file
    "no_process_of_the_host", "keeps_of_a_sandbox", "hides_in", "sandboxes_alive", "hold_what_they_need"))
CI = Set((Part(("native_conformance_test", "native_context_test"), CGROUP_CASES),
          Part(("security_18", "security_19", "security_20", "security_noisy_neighbour", "security_posture",
                "security_leak_audit", "e2e_limits", "e2e_delegated")),
          Part(("security_zygote", "security_hostile_zygote"), ZYGOTE_CASES),
          Part(("security_neighbours", "security_passed_files"))),
         deadline=480, leak_cycles=16)

# Everything that meets the kernel, then the limits of the backends that leave them to cgroups, too.
BACKEND_CASES = "*Limited*:*OutOfMemory*:*Usage*:*Pauses*"
ALL = Set((Part(("native_conformance_test", "native_context_test", "security_.*", "hijacked_client_test", "file_symlink_test",
                 "guest_storm_test", "python_driver_zygote", "e2e_(limits|files|host|rootless|delegated|crash)")),
           Part(("(srt|docker)_(conformance|context)_test",), BACKEND_CASES)),
          deadline=5400, leak_cycles=64,
          packages=("docker.io", "bubblewrap", "socat", "ripgrep", "python3-ipython", "python3-matplotlib", "python3-pandas"),
          caches=("~/.cache/atoll/docker", "/var/cache/atoll/srt-*"))


def of_labels(labels):
    return dataclasses.replace(ALL, parts=(Part(labels=tuple(labels)),))


def command(build, chosen, slower):
    """The shell script of a set: every part runs, and the first failure is the status."""
    lines = [f"export ATOLL_LEAK_CYCLES={chosen.leak_cycles} ATOLL_TEST_SLOWER={slower} XDG_CACHE_HOME=$PWD/vm-cache",
             "for folder in vm-cache/atoll/srt-*; do export ATOLL_SRT_FOLDER=$PWD/$folder; done", "status=0"]
    for part in chosen.parts:
        words = ["python3", "tools/run_tests.py", build, "--slower", str(slower)]
        words += [f"--tests={name}" for name in part.tests] + list(part.labels)
        cases = shlex.quote(part.cases)
        lines.append(f"GTEST_FILTER={cases} ATOLL_TEST_CASES={cases} {shlex.join(words)} || status=$?")
    return "\n".join([*lines, "exit $status", ""])
