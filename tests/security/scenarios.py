"""What the runner sets up around an attack. Each is a context manager that gives the values for the
attack's arguments ({marker}, {victim}, {port}) and changes to how `atoll` is started."""

import contextlib
import os
import resource
import shutil
import socket
import stat

import harness


class Unavailable(Exception):
    """This machine cannot set the scenario up; the case is skipped if the list allows it."""


class Around:
    """What a scenario adds to one run."""

    def __init__(self, **values):
        self.values = values
        self.options = []
        self.env = {}
        self.kwargs = {}


@contextlib.contextmanager
def nothing(programs, case, off):
    yield Around()


@contextlib.contextmanager
def inherited_fd(programs, case, off):
    """`atoll` itself is started with a folder of the host open, as a careless parent would."""
    fd = os.open("/etc", os.O_RDONLY | os.O_DIRECTORY)
    around = Around()
    around.kwargs["pass_fds"] = (fd,)
    try:
        yield around
    finally:
        os.close(fd)


@contextlib.contextmanager
def terminal_beside(programs, case, off):
    """The runner has a terminal, and so has another sandbox."""
    master, slave = os.openpty()
    try:
        yield Around()
    finally:
        os.close(master)
        os.close(slave)


@contextlib.contextmanager
def cases_writable(programs, case, off):
    around = Around()
    if off is not None:
        folder = programs.scratch / "writable-cases"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(programs.cases, folder)
        if programs.rootless:
            for path in [folder, *folder.iterdir()]:
                os.chown(path, harness.ROOTLESS_ID, harness.ROOTLESS_ID)
        around.options = ["--mount", f"{folder}:/writable:rw"]
        around.values["program_folder"] = "/writable"
    yield around


@contextlib.contextmanager
def setuid_program(programs, case, off):
    folder = programs.scratch / "suid"
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    program = folder / "program"
    shutil.copy(programs.cases / case.program, program)
    os.chmod(program, 0o6755)
    around = Around()
    around.options = ["--mount", f"{folder}:/suid:ro"]
    yield around


@contextlib.contextmanager
def writable_folder(programs, case, off):
    """A folder of the host, lent for writing."""
    folder = programs.scratch / "lent"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if programs.rootless:
        os.chown(folder, harness.ROOTLESS_ID, harness.ROOTLESS_ID)
    around = Around()
    around.options = ["--mount", f"{folder}:/data:rw"]
    yield around
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def victim(programs, case, off):
    """Another sandbox with a program in it, behind all walls, named by a marker."""
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]):
        mine = [pid for pid in harness.with_marker(mark) if harness.name_of(pid).startswith("26_shared")]
        if not mine:
            raise AssertionError("the victim is not seen on the host")
        yield Around(marker=mark, victim=str(mine[0]))


@contextlib.contextmanager
def device_node(programs, case, off):
    around = Around()
    if off is not None:
        folder = programs.scratch / "nodes"
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)
        with contextlib.suppress(FileExistsError):
            os.mknod(folder / "node", 0o600 | stat.S_IFCHR, os.makedev(240, 77))  # no driver has it
        around.options = ["--mount", f"{folder}:/srv:ro"]
    yield around


@contextlib.contextmanager
def socket_folder(programs, case, off):
    around = Around()
    listener = socket.socket(socket.AF_UNIX)
    folder = programs.scratch / "sockets"
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    if off is not None:
        with contextlib.suppress(OSError):
            os.unlink(folder / "s")
        listener.bind(str(folder / "s"))
        around.options = ["--mount", f"{folder}:/srv:ro"]
    try:
        yield around
    finally:
        listener.close()


@contextlib.contextmanager
def secret_folder(programs, case, off):
    around = Around()
    if off is not None:
        folder = programs.scratch / "secrets"
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)
        (folder / "key").write_text("x")
        around.options = ["--mount", f"{folder}:/srv:ro"]
    yield around


@contextlib.contextmanager
def generous_limits(programs, case, off):
    """Started by a service with high limits: they must not reach user code."""
    def raise_limits():
        infinite = resource.RLIM_INFINITY
        for name, value in (("RLIMIT_RTPRIO", 50), ("RLIMIT_NICE", 40), ("RLIMIT_MEMLOCK", infinite),
                            ("RLIMIT_CORE", infinite), ("RLIMIT_MSGQUEUE", infinite)):
            resource.setrlimit(getattr(resource, name), (value, value))
    # CAP_SYS_RESOURCE is bit 24; a container or VM may withhold it even from root.
    if not int(harness.status_of(os.getpid())["CapEff"], 16) >> 24 & 1:
        raise Unavailable("raising hard limits needs CAP_SYS_RESOURCE, and root has none here")
    around = Around()
    around.kwargs["preexec_fn"] = raise_limits
    yield around


@contextlib.contextmanager
def left(programs, case, off):
    """Another sandbox, with the same walls, has left something of this kind."""
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", case.args[0], mark], off):
        yield Around(marker=mark)


@contextlib.contextmanager
def listener(programs, case, off):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(4)
        yield Around(port=str(server.getsockname()[1]))


@contextlib.contextmanager
def abstract_listener(programs, case, off):
    mark = harness.marker()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + mark)
        server.listen(1)
        yield Around(marker=mark)


@contextlib.contextmanager
def host_routes(programs, case, off):
    """Where the host itself has no default route, the control cannot have one either."""
    if off is not None and not any(line.split()[1] == "00000000"
                                   for line in harness.read("/proc/net/route").splitlines()[1:]):
        yield None
        return
    yield Around()


def control_where(allowed):
    """A control that can get through only on a host that allows it to anybody; the attack itself is made anywhere."""
    @contextlib.contextmanager
    def around(programs, case, off):
        yield None if off is not None and not allowed() else Around()
    return around


def setting(name):
    return int(harness.read(f"/proc/sys/kernel/{name}", "0"))


bpf_for_all = control_where(lambda: setting("unprivileged_bpf_disabled") == 0)
perf_for_all = control_where(lambda: setting("perf_event_paranoid") <= 2)
cgroup_v1 = control_where(lambda: any(line.startswith("memory\t") and line.split()[1] != "0"
                                      for line in harness.read("/proc/cgroups").splitlines()))


@contextlib.contextmanager
def secret(programs, case, off):
    mark = harness.marker()
    around = Around(marker=mark)
    around.env = {"ATOLL_TEST_SECRET": mark, "AWS_SECRET_ACCESS_KEY": mark}
    # The attacker's own arguments hold the marker as well; it leaves itself out.
    yield around


def get(name):
    return globals()[name or "nothing"]
