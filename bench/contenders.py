"""The command lines that are compared, and the OCI bundles that runc needs for them."""
import json
import os
import shutil

import measure

BWRAP = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]

# The families that Atoll's own filter refuses, so that the comparison with a filter is fair.
REFUSED = """
acct add_key bpf clock_adjtime clock_settime delete_module fanotify_init finit_module fsconfig fsmount fsopen fspick
get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load
keyctl lookup_dcookie mbind migrate_pages mount mount_setattr move_mount move_pages name_to_handle_at nfsservctl
open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_vm_readv process_vm_writev ptrace quotactl
reboot request_key set_mempolicy setns settimeofday swapoff swapon sysfs umount2 unshare userfaultfd vhangup
""".split()
NAMESPACES = ["pid", "mount", "network", "ipc", "uts", "cgroup"]


class Field:
    """Knows which contenders work here; one that does not is left out with a note."""

    def __init__(self, bin_dir, scratch, docker, out):
        self.atoll = bin_dir / "atoll"
        self.scratch = scratch
        self.docker = docker
        self.out = out
        self.refused = set()

    def for_command(self, command, bare=False, runc=True):
        """[(name, argv)] of everybody who can run this command here."""
        people = [("atoll", [str(self.atoll), "run", "--", *command]), ("bwrap", [*BWRAP, *command])]
        if runc and os.geteuid() == 0 and shutil.which("runc", path=measure.ENV["PATH"]):
            people.append(("runc", self.runc(command, seccomp=False)))
            people.append(("runc+seccomp", self.runc(command, seccomp=True)))
        if bare:
            people.append(("no sandbox", list(command)))
        return [(name, argv) for name, argv in people if self.works(name, argv)]

    def docker_commands(self, command):
        people = self.for_command(command, runc=False)
        return people + [("docker run", self.docker.run(command)), ("docker exec", self.docker.exec(command))]

    def works(self, name, argv):
        if name in self.refused:
            return False
        try:
            measure.run_once(argv)
            return True
        except (OSError, RuntimeError) as error:
            self.refused.add(name)
            self.out.note(f"{name} is left out: {error}")
            return False

    def runc(self, command, seccomp):
        """`runc run` of a bundle with the host's system folders, read-only, as for the others."""
        bundle = self.scratch / f"bundle-{abs(hash((tuple(command), seccomp)))}"
        rootfs = bundle / "rootfs"
        rootfs.mkdir(parents=True, exist_ok=True)
        mounts = [{"destination": "/proc", "type": "proc", "source": "proc"},
                  {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
                  {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev"]}]
        for name in ("bin", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "usr"):
            host = "/" + name
            if os.path.islink(host):
                if not (rootfs / name).is_symlink():
                    os.symlink(os.readlink(host), rootfs / name)
            elif os.path.isdir(host):
                mounts.append({"destination": host, "type": "bind", "source": host, "options": ["rbind", "ro", "nosuid"]})
        linux = {"namespaces": [{"type": name} for name in NAMESPACES],
                 "resources": {"memory": {"limit": 512 << 20}, "pids": {"limit": 100}, "cpu": {"quota": 50000, "period": 100000}},
                 "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
                 "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]}
        if seccomp:
            linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
                                "syscalls": [{"names": REFUSED, "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}
        none = {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable", "ambient")}
        config = {"ociVersion": "1.0.2", "root": {"path": "rootfs", "readonly": True}, "hostname": "bench", "mounts": mounts, "linux": linux,
                  "process": {"args": list(command), "cwd": "/", "env": [f"PATH={measure.ENV['PATH']}"], "user": {"uid": 0, "gid": 0},
                              "noNewPrivileges": True, "capabilities": none}}
        (bundle / "config.json").write_text(json.dumps(config))
        return ["runc", "--root", str(self.scratch / "runc"), "run", "--bundle", str(bundle), f"bench-{os.getpid()}-{measure.NUMBER}"]
