"""The table of security cases: one entry per attack, grouped by the line of the checklist.

An entry says which walls are down in its control run (`off`, where the attack must get through) and
what stops it behind all walls (`expect`: errno names, signals, HOLDS for a property, EXIT n). Where a
wall cannot be switched off meaningfully, `off` is None and `why` says so: the entry is then a direct
check of a property. `works` entries must succeed in both runs: what programs need is not broken.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

from harness import SLOWER

SECCOMP = ("seccomp",)


@dataclass(frozen=True)
class Case:
    line: int
    name: str                      # what the attacker is told, its first argument
    program: str
    expect: tuple = ("EPERM",)
    off: tuple = None              # walls down in the control run; None: no control
    why: str = ""                  # why there is no control, or why it needs several walls
    args: tuple = ()
    options: tuple = ()            # for `atoll run`, both times
    limits: tuple = ()             # for `atoll run` behind all walls: asking for a limit that is down is an error
    scenario: str = ""             # what the runner sets up around it (scenarios.py)
    tty: str = ""                  # "inside": a terminal in the sandbox, "outside": only for atoll
    works: bool = False
    root_only: str = ""            # why an ordinary user's sandbox does not have this wall
    rootless_expect: tuple = ()    # another outcome for an ordinary user, as good
    control_root_only: bool = False  # the control run is made in the root pass only
    pending: str = ""              # the repair that is not there yet; ATOLL_TEST_PENDING=1 runs it all the same
    since: tuple = (0, 0)          # the Linux from which on the kernel lets it through at all: no control before

    @property
    def key(self):
        return f"{self.line:02d}.{self.name}"


def seccomp(line, program, names, expect=("EPERM",), **more):
    return [Case(line, name, program, expect, off=SECCOMP, **more) for name in names]


NO_SWITCH = "not a wall of its own: follows from how the sandbox is built"
NOT_COMPILED = "this kernel does not have the call, so nothing can get through to it"
IMAGE_ROOT = "disk images need root; an ordinary user's writable folders are in memory"
ROOT_CGROUP = "cgroup limits need root on cgroup v1 (isolation.missing says so)"
TWO_UIDS = "an ordinary user has one uid to give: guest and user code share it"

# The root is an overlay then, in which the user owns / and /etc: every other wall is as it was.
WRITABLE = ("--writable-root",)

CASES = []

# 1 inherited descriptors -------------------------------------------------------------------------
P = "01_inherited_fds"
CASES += [
    Case(1, "list", P, ("HOLDS",), off=("clean_start",), scenario="inherited_fd"),
    Case(1, "probe", P, ("HOLDS",), off=("clean_start",), scenario="inherited_fd"),
    Case(1, "standard", P, ("HOLDS",), why=NO_SWITCH),
    Case(1, "climb", P, ("HOLDS",), why=NO_SWITCH),
    Case(1, "guest_descriptors", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
]
# 2 masked paths ----------------------------------------------------------------------------------
P = "02_masked_paths"
CASES += [
    Case(2, "read", P, ("HOLDS",), off=("masked_proc",)),
    Case(2, "replace_null", P, ("EROFS", "EACCES", "EPERM"), why="/dev belongs to nobody inside, with every wall"),
    Case(2, "replace_masked", P, ("EBUSY", "EPERM", "EACCES", "EROFS"), why="procfs itself refuses it"),
]
# 3 /dev swapped ----------------------------------------------------------------------------------
P = "03_dev_swap"
CASES += [
    Case(3, "swap", P, ("EROFS", "EACCES", "EPERM"), why="/dev belongs to nobody inside, with every wall"),
    Case(3, "folders", P, ("HOLDS",), why=NO_SWITCH),
    Case(3, "foreign_terminals", P, ("HOLDS",), scenario="terminal_beside",
         why="devpts is mounted anew with every wall"),
]
# 4 procfs ----------------------------------------------------------------------------------------
P = "04_procfs"
CASES += [
    Case(4, "genuine", P, ("HOLDS",), why=NO_SWITCH),
    Case(4, "cover", P, off=SECCOMP),
    Case(4, "remap", P, ("EACCES", "EPERM", "EROFS"), why="the map is written once and the file belongs to nobody inside"),
]
# 5 the runtime's own programs --------------------------------------------------------------------
P = "05_runtime_binary"
CASES += [
    Case(5, "hold_guest", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(5, "write_guest", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(5, "write_sibling", P, ("EROFS",), off=(), scenario="cases_writable", rootless_expect=("EACCES",),
         why="control: the same folder mounted rw, all walls up"),
    Case(5, "write_host_program", P, ("EROFS", "EACCES"), why="/usr is read-only and root's, with every wall"),
]
# 6 symlinks in file put/get: file_symlink_test.cpp ------------------------------------------------
# 7 no_new_privs ----------------------------------------------------------------------------------
P = "07_no_new_privs"
CASES += [
    Case(7, "flag", P, ("HOLDS",), off=("no_new_privs", "seccomp", "landlock_scopes"),
         why="seccomp and Landlock need no_new_privs themselves, so all three go"),
    Case(7, "setuid", P, ("HOLDS",), args=("/suid/program",), scenario="setuid_program",
         why="nosuid, no_new_privs and an unmapped owner stop it, each alone"),
    Case(7, "mounts", P, ("HOLDS",), why=NO_SWITCH),
]
# A set-user-id program in a folder of the host: the wall is the filter, the folder is mounted writable.
CASES += seccomp(7, P, ("plant_chmod", "plant_fchmod", "plant_fchmodat", "plant_open", "plant_openat",
                        "plant_openat2", "plant_creat", "plant_mknod", "plant_tmpfile"),
                 ("EPERM", "ENOSYS", "EACCES", "HOLDS"), scenario="writable_folder")
CASES += seccomp(7, P, ("plant_fchmodat2",), ("EPERM", "ENOSYS"), scenario="writable_folder", since=(6, 6))
# 8 capabilities ----------------------------------------------------------------------------------
P = "08_capabilities"
CASES += [
    Case(8, "sets", P, ("HOLDS",), why="the uid change and exec empty these sets as well"),
    Case(8, "bounding", P, ("HOLDS",), off=("no_capabilities",)),
    Case(8, "securebits", P, ("HOLDS",), why=NO_SWITCH),
    Case(8, "become_root", P, why="two walls: no capabilities, and no such uid in the map"),
    Case(8, "chroot", P, off=SECCOMP),
    Case(8, "chown", P, why="two walls: no capabilities, and no such uid in the map", expect=("EPERM", "EINVAL")),
]
# 9 namespaces ------------------------------------------------------------------------------------
P = "09_namespaces"
CASES += seccomp(9, P, ("user", "mount", "pid", "net", "ipc", "uts", "cgroup", "time", "clone", "setns"))
CASES += seccomp(9, P, ("clone3",), ("ENOSYS",))
CASES += [
    Case(9, "clone_high_bits", P, off=SECCOMP),
    Case(9, "unshare_high_bits", P, ("EPERM", "EINVAL"), why="the kernel itself looks at all 64 bits here"),
]
# 10 mount API ------------------------------------------------------------------------------------
P = "10_mount_api"
CASES += seccomp(10, P, ("mount", "bind", "remount", "propagation", "umount2", "pivot_root", "fsopen", "fsconfig",
                         "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr"))
CASES += seccomp(10, P, ("statmount", "listmount"), ("ENOSYS", "EPERM"), since=(6, 8))
CASES += seccomp(10, P, ("open_tree_attr",), ("ENOSYS", "EPERM"), since=(6, 15))
# 11 kernel surface -------------------------------------------------------------------------------
P = "11_kernel_surface"
CASES += seccomp(11, P, ("io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "keyctl", "add_key", "request_key", "ptrace_seize", "ptrace_attach",
                         "ptrace_traceme", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
                         "name_to_handle_at", "quotactl_fd", "personality", "fanotify_init", "process_madvise",
                         "io_setup", "vmsplice", "mbind", "set_mempolicy", "sysfs", "tcp_ulp"))
CASES += seccomp(11, P, ("cachestat",), since=(6, 5))
CASES += seccomp(11, P, ("bpf",), scenario="bpf_for_all")
CASES += seccomp(11, P, ("perf_event_open",), scenario="perf_for_all")
CASES += seccomp(11, P, ("open_by_handle_at",), since=(6, 11))  # before, the host's own root alone may
CASES += [
    Case(11, "quotactl", P, off=SECCOMP),
    Case(11, "syslog", P, why="kernel.dmesg_restrict answers with the same EPERM first"),
    Case(11, "iopl", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "ioperm", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "swapon", P, why="the kernel asks for the capability first, with the same EPERM"),
    Case(11, "acct", P, why="the kernel asks for the capability first, with the same EPERM"),
    Case(11, "migrate_pages", P, off=SECCOMP),
    Case(11, "move_pages", P, off=SECCOMP),
    Case(11, "kexec_load", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "finit_module", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "init_module", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "lookup_dcookie", P, ("EPERM", "ENOSYS"), why=NOT_COMPILED),
    Case(11, "gap_numbers", P, ("ENOSYS",), why="this kernel answers the same; a later one would not"),
    Case(11, "unknown_numbers", P, ("ENOSYS",), why="the kernel answers the same"),
    Case(11, "x32", P, ("ENOSYS", "EPERM", "SIGSYS"), why=NOT_COMPILED),
    Case(11, "x32_unshare", P, ("ENOSYS", "EPERM", "SIGSYS"), why=NOT_COMPILED),
    Case(11, "int80", P, ("SIGSYS",), off=SECCOMP),
    Case(11, "int80_unshare", P, ("SIGSYS",), off=SECCOMP),
]
# 12 socket families ------------------------------------------------------------------------------
P = "12_socket_families"
REFUSED = ("EAFNOSUPPORT", "EPERM", "EACCES")
CASES += seccomp(12, P, ("vsock", "vsock_seqpacket", "vsock_high_bits", "packet", "xdp", "netlink_generic",
                         "netlink_sock_diag", "netlink_uevent", "netlink_netfilter", "netlink_xfrm", "netlink_audit",
                         "netlink_connector", "netlink_high_bits"), REFUSED)
CASES += [
    Case(12, "sweep", P, ("HOLDS",), off=SECCOMP),
    Case(12, "inet_sweep", P, ("HOLDS",), off=SECCOMP),
    Case(12, "ioctls", P, off=SECCOMP),
    Case(12, "pairs", P, ("HOLDS",), why="the kernel refuses most pairs itself; 12.host_loads_no_modules has the control"),
    Case(12, "raw", P, ("EPERM", "EACCES", "EAFNOSUPPORT"), off=SECCOMP),
    Case(12, "inet_disguises", P, ("EPERM", "EACCES", "EAFNOSUPPORT", "EPROTONOSUPPORT", "EINVAL"), off=SECCOMP),
    Case(12, "allowed", P, works=True),
]
# 13 terminals ------------------------------------------------------------------------------------
P = "13_terminal"
CASES += [Case(13, name, P, off=SECCOMP, tty="inside")
          for name in ("tiocsti", "tiocsti_high_bits", "tiocsti_own", "tioclinux", "tioclinux_high_bits")]
CASES += [
    Case(13, "own_terminal", P, ("HOLDS",), tty="inside", why=NO_SWITCH),
    Case(13, "host_terminal", P, ("ENXIO", "ENOENT"), tty="outside",
         why="launcher, guest and program each start a session, with every wall"),
]
# 14 keyring --------------------------------------------------------------------------------------
P = "14_keyring"
CASES += [
    Case(14, "join", P, off=SECCOMP),
    Case(14, "user_keyring", P, off=SECCOMP),
    Case(14, "proc_keys", P, ("HOLDS", "ENOENT", "EACCES"), off=("masked_proc",)),
]
# 15 other processes ------------------------------------------------------------------------------
P = "15_other_processes"
CASES += [
    Case(15, "see", P, ("HOLDS",), off=("pid_namespace",), args=("{marker}",), scenario="victim"),
    Case(15, "signal", P, ("ESRCH",), off=("pid_namespace",), args=("{victim}",), scenario="victim"),
    Case(15, "root", P, ("ENOENT",), off=("pid_namespace",), args=("{victim}",), scenario="victim"),
    Case(15, "priority", P, ("ESRCH",), off=("pid_namespace",), args=("{victim}",), scenario="victim"),
    Case(15, "ptrace", P, ("EPERM", "ESRCH"), args=("{victim}",), scenario="victim",
         why="three walls: pid namespace, seccomp and uids"),
]
# 16 devices --------------------------------------------------------------------------------------
P = "16_devices"
CASES += [
    Case(16, "search", P, ("HOLDS",), off=(), scenario="device_node",
         why="control: a folder with a device node mounted in, all walls up"),
    Case(16, "mknod_mem", P, ("EPERM", "EACCES"), why="in a user namespace nobody makes devices"),
    Case(16, "mknod_null", P, ("EPERM", "EACCES"), why="in a user namespace nobody makes devices"),
    Case(16, "mknod_disk", P, ("EPERM", "EACCES"), why="in a user namespace nobody makes devices"),
    Case(16, "open_known", P, ("HOLDS",), why=NO_SWITCH),
    Case(16, "needed", P, works=True),
]
# 17 /proc/sys, /sys, cgroup file systems ---------------------------------------------------------
P = "17_proc_sys"
CASES += [
    Case(17, "settings", P, ("HOLDS",), why="settings belong to a uid that is not in the map"),
    Case(17, "core_pattern", P, ("EACCES", "EROFS", "EPERM"), why="settings belong to a uid that is not in the map"),
    Case(17, "ip_forward", P, ("EACCES", "EROFS", "EPERM"), why="settings belong to a uid that is not in the map"),
    Case(17, "max_user_namespaces", P, ("EACCES", "EROFS", "EPERM"), why="settings belong to a uid that is not in the map"),
    Case(17, "read_only_by_mount", P, ("HOLDS",), off=("masked_proc",)),
    Case(17, "sysfs", P, ("HOLDS", "ENOENT", "EACCES"), why=NO_SWITCH),
    Case(17, "cgroup_mounted", P, ("HOLDS",), why=NO_SWITCH),
    Case(17, "cgroup_mount", P, off=SECCOMP, scenario="cgroup_v1"),
    Case(17, "cgroup2_mount", P, off=SECCOMP),
]
# 18 cgroup ---------------------------------------------------------------------------------------
P = "18_cgroup"
CASES += [
    Case(18, "path", P, ("HOLDS",), off=("cgroup_namespace",), control_root_only=True),
    Case(18, "escape", P, off=SECCOMP),
    Case(18, "search", P, ("HOLDS",), why=NO_SWITCH),
]
# 19 fork bomb ------------------------------------------------------------------------------------
P = "19_fork_bomb"
CASES += [
    Case(19, "count", P, ("EAGAIN",), off=("pids_limit",), args=("40",), limits=("--pids", "40"),
         root_only=ROOT_CGROUP),
    Case(19, "threads", P, ("EAGAIN",), off=("pids_limit",), args=("40",), limits=("--pids", "40"),
         root_only=ROOT_CGROUP),
]
# 20 memory bomb ----------------------------------------------------------------------------------
P = "20_memory_bomb"
M64 = ("--memory", "64m")
GOAL = (str(160 << 20),)
KILLED = ("EXIT 137", "SIGKILL")
CASES += [
    Case(20, "anonymous", P, ("EXIT 137",), off=("memory_limit",), args=GOAL, limits=M64, root_only=ROOT_CGROUP),
    Case(20, "family", P, KILLED, off=("memory_limit",), args=GOAL, limits=M64, root_only=ROOT_CGROUP),
    Case(20, "memfd", P, KILLED, off=("memory_limit",), args=GOAL, limits=M64, root_only=ROOT_CGROUP),
    Case(20, "sysv", P, KILLED + ("ENOMEM",), off=("memory_limit",), args=GOAL, limits=M64, root_only=ROOT_CGROUP),
    Case(20, "locked", P, KILLED + ("ENOMEM", "EAGAIN", "EPERM"), args=GOAL, limits=M64,
         why="the host's limit on locked memory may come first", root_only=ROOT_CGROUP),
]
# Memory of the kernel: charged to the sandbox, or bounded by a limit of its own (docs/threat-model.md).
BUFFERS = ("pipes", "sockets", "tcp", "tcp_crowd", "udp", "netlink", "empty_sockets", "multicast", "multicast6", "multicast_group", "filters")
KERNEL = defaultdict(lambda: "20_kernel_objects", {name: "20_kernel_buffers" for name in BUFFERS})
FREED_LATE = "what the control holds is freed so late that the slot's next limit would be refused"
CASES += [Case(20, name, KERNEL[name], KILLED + ("ENOBUFS", "ENOMEM"), off=("memory_limit",), args=GOAL, limits=M64, root_only=ROOT_CGROUP)
          for name in ("sockets", "page_tables")]
CASES += [Case(20, name, KERNEL[name], KILLED + ("ENOBUFS", "ENOMEM"), args=GOAL, limits=M64, why=why, root_only=ROOT_CGROUP)
          for name, why in (("pipes", "the kernel's own bound on pipe pages of a user may come first"),
                            ("sysv_messages", FREED_LATE), ("sysv_semaphores", FREED_LATE),
                            ("epoll", "the control would use up what a user may watch, of this and of other sandboxes"),
                            ("mappings", "the kernel's bound on the mappings of a process may come first"),
                            ("filters", "the control would use up the host's room for compiled filters"))]
CASES += [Case(20, "empty_sockets", KERNEL["empty_sockets"], KILLED + ("EMFILE", "ENFILE", "ENOMEM"), args=GOAL, limits=M64,
               why="the limit on open files comes first without one of memory", root_only=ROOT_CGROUP)]
CASES += [Case(20, name, KERNEL[name], expect, args=GOAL, why=why)
          for name, expect, why in (("events", ("EMFILE", *KILLED), "bounded by open files and processes: some 0.4 KiB each"),
                                    ("timers", ("EMFILE", *KILLED), "bounded by open files and processes: some 0.5 KiB each"),
                                    ("inotify", ("EMFILE", "ENOSPC", *KILLED), "bounded by fs.inotify.max_user_instances"),
                                    ("posix_timers", ("EAGAIN",), "bounded by RLIMIT_SIGPENDING: 4,096"),
                                    ("signals", ("EAGAIN",), "bounded by RLIMIT_SIGPENDING: 4,096"),
                                    ("message_queues", ("EMFILE", "ENOSPC", "EACCES"), "bounded by RLIMIT_MSGQUEUE: 800 KiB"),
                                    ("attributes", ("ENOSPC", "EOPNOTSUPP", *KILLED), "bounded by the disk's inodes"),
                                    ("terminals", ("ENOSPC",), "bounded by the mount's 64 terminals"))]
CASES += [Case(20, name, KERNEL[name], KILLED + ("ENOBUFS", "ENOMEM", "EAGAIN", "EMFILE"), off=("memory_limit",), args=GOAL, limits=M64,
               root_only=ROOT_CGROUP, pending=pending)
          for name, pending in (("tcp", ""), ("udp", "the attacker counts datagrams that the kernel has dropped: 16 MiB are held, not 160"))]
CASES += [Case(20, name, KERNEL[name], KILLED + ("ENOBUFS", "ENOMEM", "EAGAIN", "EMFILE", "EAFNOSUPPORT"), args=GOAL, limits=M64, root_only=ROOT_CGROUP,
               why="nothing counts it for the sandbox", pending=pending)
          for name, pending in (("tcp_crowd", "the kernel takes the first message of every connection above any limit"),
                                ("netlink", "answers of the kernel that wait in netlink sockets are counted for nobody"),
                                ("locks", "locks of files are counted for nobody"))]
CASES += [Case(20, name, KERNEL[name], ("EPERM", "ENOPROTOOPT", "EOPNOTSUPP"), off=SECCOMP)
          for name in ("multicast", "multicast6", "multicast_group")]
CASES += [Case(11, "io_setup", KERNEL["io_setup"], ("EPERM", "ENOSYS"), off=SECCOMP)]
# 21 disk -----------------------------------------------------------------------------------------
P = "21_disk_fill"
D16 = ("--disk", "16m", "--inodes", "200", "--memory", "512m")
FILL = (str(16 << 20), str(64 << 20))
IMAGE = ("--disk", "48m", "--memory", "64m")  # more than half of the memory: a disk image
CASES += [
    Case(21, "bytes", P, ("ENOSPC",), off=("disk_limit",), args=FILL, limits=D16),
    Case(21, "inodes", P, ("ENOSPC",), off=("disk_limit",), args=("200", "1000"), limits=D16),
    Case(21, "symlinks", P, ("ENOSPC",), off=("disk_limit",), args=("200", "1000"), limits=D16),
    Case(21, "hard_links", P, ("ENOSPC",), off=("disk_limit",), args=("200", "1000"), limits=D16),
    Case(21, "fallocate", P, ("ENOSPC", "EFBIG"), off=("disk_limit",), args=FILL, limits=D16),
    Case(21, "sparse", P, ("ENOSPC", "EFBIG"), off=("disk_limit",), args=FILL, limits=D16),
    Case(21, "hidden", P, ("ENOSPC", "EFBIG"), off=("disk_limit",), args=FILL, limits=D16),
    Case(21, "root", P, ("EROFS", "EACCES", "ENOENT"), off=("read_only_root",)),
    Case(21, "root", P, works=True, options=WRITABLE),
    Case(21, "bytes", P, ("ENOSPC",), off=("disk_limit",), args=FILL, limits=D16, options=WRITABLE),
    Case(21, "bytes", P, ("ENOSPC",), args=(str(48 << 20), str(200 << 20)), limits=IMAGE, options=WRITABLE, root_only=IMAGE_ROOT,
         why="the control is the same attack on memory-backed folders"),
    Case(21, "bytes", P, ("ENOSPC",), args=(str(48 << 20), str(200 << 20)), limits=IMAGE, root_only=IMAGE_ROOT,
         why="the control is the same attack on memory-backed folders"),
    Case(21, "sparse", P, ("ENOSPC", "EFBIG"), args=(str(48 << 20), str(200 << 20)), limits=IMAGE, root_only=IMAGE_ROOT,
         why="the control is the same attack on memory-backed folders"),
    Case(21, "inodes", P, ("ENOSPC",), args=("20000", "40000"), limits=IMAGE, root_only=IMAGE_ROOT,
         why="the control is the same attack on memory-backed folders"),
]
# 22 output flood, 23 orphans, 24 deaf programs: direct/ --------------------------------------------
P = "23_orphans"
CASES += [Case(23, "zombies", P, ("HOLDS",), why="the guest reaps with every wall")]
# 25 clocks and shares ----------------------------------------------------------------------------
P = "25_clocks"
INIT_ONLY = "needs a capability over the host itself, which no switch gives"
CASES += [
    Case(25, "clock_settime", P, off=SECCOMP),
    Case(25, "clock_adjtime", P, off=SECCOMP),
    Case(25, "adjtimex", P, off=SECCOMP),
    Case(25, "settimeofday", P, off=SECCOMP),
    Case(25, "sched_fifo", P, why=INIT_ONLY),
    Case(25, "sched_rr", P, why=INIT_ONLY),
    Case(25, "sched_deadline", P, why=INIT_ONLY),
    Case(25, "nice", P, ("EPERM", "EACCES"), why=INIT_ONLY),
    Case(25, "ioprio", P, why=INIT_ONLY),
    Case(25, "mlock", P, ("ENOMEM", "EPERM"), why=INIT_ONLY),
    Case(25, "mlockall", P, ("ENOMEM", "EPERM"), why=INIT_ONLY),
    Case(25, "raise_limits", P, why=INIT_ONLY),
    Case(25, "many_files", P, ("EMFILE",), off=("file_limits",), args=("64",), limits=("--open-files", "64")),
    Case(25, "core_dump", P, ("HOLDS",), off=("file_limits",), scenario="generous_limits"),
]
# The same when `atoll` was started by somebody with generous limits, as services often are.
CASES += [Case(25, name, P, expect, scenario="generous_limits", why=INIT_ONLY)
          for name, expect in (("sched_fifo", ("EPERM",)), ("nice", ("EPERM", "EACCES")),
                               ("mlock", ("ENOMEM", "EPERM")), ("raise_limits", ("EPERM",)))]
# 26 shared state ---------------------------------------------------------------------------------
P = "26_shared_state"
PRIVATE = "mounted anew for each sandbox, with every wall"
CASES += [Case(26, "find", P, ("ENOENT",), args=(kind, "{marker}"), scenario="left", why=PRIVATE)
          for kind in ("tmp", "shm", "workspace")]
CASES += [Case(26, "find", P, ("ENOENT",), off=("ipc_namespace",), args=(kind, "{marker}"), scenario="left")
          for kind in ("sysv_shm", "sysv_msg", "sysv_sem", "mqueue")]
CASES += [
    Case(26, "find", P, ("ECONNREFUSED", "EPERM"), off=("network_namespace", "landlock_scopes"),
         args=("abstract", "{marker}"), scenario="left", control_root_only=True,
         why="abstract sockets are scoped by the network namespace and by Landlock"),
]
# 27 network --------------------------------------------------------------------------------------
P = "27_network"
NET = ("network_namespace",)
ROOT_CONTROL = {"control_root_only": True}  # a launcher without root is itself in another network already
CASES += [
    Case(27, "host_listener", P, ("ECONNREFUSED",), off=NET, args=("{port}",), scenario="listener", **ROOT_CONTROL),
    Case(27, "interfaces", P, ("HOLDS",), off=NET, **ROOT_CONTROL),
    Case(27, "proc_net", P, ("HOLDS",), off=NET, **ROOT_CONTROL),
    Case(27, "proc_unix", P, ("HOLDS",), off=NET, args=("{marker}",), scenario="abstract_listener", **ROOT_CONTROL),
    Case(27, "configure", P, why="the namespace belongs to the host's root, with every wall"),
]
CASES += [Case(27, "route", P, ("ENETUNREACH",), off=NET, args=(address,), scenario="host_routes", **ROOT_CONTROL)
          for address in ("169.254.169.254", "100.100.100.200", "10.0.0.1", "172.16.0.1", "192.168.0.1", "8.8.8.8")]
CASES += [Case(27, "route", P, ("ENETUNREACH", "EADDRNOTAVAIL", "EINVAL"), args=(address,),
               why="the host may have no IPv6 itself") for address in ("2001:4860:4860::8888", "fd00::1", "fe80::1")]
# 30 host sockets and secrets ---------------------------------------------------------------------
P = "30_host_sockets"
CASES += [
    Case(30, "walk", P, ("HOLDS",), off=(), scenario="socket_folder",
         why="control: a folder with a socket mounted in, all walls up"),
    Case(30, "known", P, ("HOLDS",), why=NO_SWITCH),
    Case(30, "secrets", P, ("HOLDS",), off=(), scenario="secret_folder",
         why="control: a folder with a file mounted at /srv, all walls up"),
]
# 33 environment and arguments --------------------------------------------------------------------
P = "33_environment"
CASES += [
    Case(33, "own", P, ("HOLDS",), args=("{marker}",), scenario="secret",
         why="the program's environment is made from the request, with every wall"),
    Case(33, "others_environ", P, ("HOLDS",), args=("{marker}",), scenario="secret",
         why="the guest is not dumpable, with every wall"),
    Case(33, "others_cmdline", P, ("HOLDS",), args=("{marker}",), scenario="secret",
         why="the guest's arguments are constant, with every wall"),
    Case(33, "guest_environ", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(33, "guest_memory", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(33, "guest_maps", P, ("EACCES", "EPERM", "HOLDS"), why="the guest is not dumpable, with every wall"),
]
# 36 the guest itself -----------------------------------------------------------------------------
P = "36_guest"
SAME_UID = ("landlock_scopes", "own_uids")
CASES += [
    Case(36, "may_signal", P, off=SAME_UID, why="two walls: another uid, and a Landlock domain"),
    Case(36, "may_signal_by_thread", P, off=SAME_UID, why="two walls: another uid, and a Landlock domain"),
    Case(36, "may_signal_by_pidfd", P, off=SAME_UID, why="two walls: another uid, and a Landlock domain"),
    Case(36, "may_signal_by_owner", P, ("HOLDS", "EPERM"), why="checked by the kernel when the signal is sent"),
    Case(36, "may_signal_all", P, ("ESRCH", "EPERM"), why="the kernel leaves pid 1 out"),
    Case(36, "kill_everything", P, ("HOLDS",), why="pid 1 cannot be killed from inside, with every wall"),
    Case(36, "prlimit", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "prlimit_high_bits", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "prlimit_parent", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "prlimit_read", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "prlimit_self", P, works=True),
    Case(36, "ptrace", P, why="two walls: the filter, and a guest that is not dumpable"),
    Case(36, "setpriority", P, ("EPERM", "EACCES"), off=("own_uids",), root_only=TWO_UIDS),
    Case(36, "sched_setaffinity", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "sched_setscheduler", P, off=("seccomp", "own_uids"), why="two walls: the filter, and another uid"),
    Case(36, "ioprio_set", P, off=("own_uids",), root_only=TWO_UIDS),
    Case(36, "oom_score_adj", P, ("EACCES", "EPERM", "EROFS"), why="the guest is not dumpable, with every wall"),
    Case(36, "cwd", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(36, "root", P, ("EACCES", "EPERM"), why="the guest is not dumpable, with every wall"),
    Case(36, "find_socket", P, ("HOLDS",), why=NO_SWITCH),
    Case(36, "flood_reaper", P, ("HOLDS",), options=("--timeout", f"{30 * SLOWER}s"), why="the guest reaps with every wall"),
]
# A writable root -----------------------------------------------------------------------------------
CASES += [replace(case, options=(*case.options, *WRITABLE)) for case in CASES
          if case.line in (2, 3, 4) or case.key in ("05.write_host_program", "07.mounts")]
