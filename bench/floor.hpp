// The least that a sandbox needs, without limits, filter, guest and server: a fork with namespaces
// and mounts. Built into atoll-bench-life, and as a shared object for bench/floor.py.
#pragma once

#include <sys/types.h>

// Forks as the C library's fork() does not: without any handler. 0 in the child, which is then
// alone in namespaces for users, mounts, processes, IPC, host name and cgroups, with a small root
// of its own; its pid in the parent; -1 when it failed.
extern "C" pid_t atoll_bench_floor();
