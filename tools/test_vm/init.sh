#!/bin/bash
# Pid 1 of the machine: mounts what a Debian host has mounted, with cgroup v2 alone, and runs the command
# that was put into the tree. Its output goes to the second serial line.
set -u
exec </dev/null >/dev/ttyS1 2>&1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb CI=true

start() {
  mount -t proc -o nosuid,nodev,noexec proc /proc &&
    mount -t sysfs -o nosuid,nodev,noexec sysfs /sys &&
    mount -t cgroup2 -o nosuid,nodev,noexec,nsdelegate cgroup2 /sys/fs/cgroup &&
    mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs /run &&
    mkdir -p /dev/pts /dev/shm /dev/mqueue &&
    mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts &&
    mount -t tmpfs -o nosuid,nodev tmpfs /dev/shm &&
    mount -t mqueue mqueue /dev/mqueue || return
  ln -sf /proc/self/fd /dev/fd
  ln -sf /proc/self/mounts /etc/mtab
  hostname vm
  # Debian forbids these to ordinary users; the tests must see that Atoll does, too.
  echo 0 >/proc/sys/kernel/unprivileged_bpf_disabled && echo 2 >/proc/sys/kernel/perf_event_paranoid || return
  modprobe -a loop dummy || return
  # A way out that leads nowhere: sandboxes must not find even that.
  ip link set lo up && ip link set dummy0 up && ip addr add 192.0.2.2/24 dev dummy0 &&
    ip route add default via 192.0.2.1
}

if start; then
  cd "$TREE" && bash vm-command.sh
  status=$?
else
  status=1
fi
sync
printf 'test-vm: exit %d\n' "$status"
# The machine is ended from outside once that line is read.
while :; do sleep 1000; done
