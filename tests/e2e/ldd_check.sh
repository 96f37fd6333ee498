#!/bin/sh
# ldd_check.sh PROGRAM: fails when it needs shared libraries beyond libc and libm.
set -eu
test -x "$1"
extra=$(ldd "$1" | awk '{print $1}' | grep -vE '^(linux-vdso\.so|libc\.so|libm\.so|/lib.*/ld-linux|statically$|not$)' || true)
if [ -n "$extra" ]; then
  echo "$1 needs more than libc and libm:" >&2
  echo "$extra" >&2
  exit 1
fi
