"""Calls the C helper that forks into a sandbox (src/enter/)."""
import ctypes
import errno
import os

PR_SET_NAME = 15
ARGS_FD = 5  # in the child: the ExecArgs of its execution
DEFAULT_PATH = "/opt/atoll/lib/enter.so"


class EnterPlan(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int32) for name in ("stdin_fd", "stdout_fd", "stderr_fd", "control_fd", "report_fd",
                                              "pidfd", "args_fd")),
        *((name, ctypes.c_uint32) for name in ("uid", "gid", "open_files", "task_count")),
        ("data_bytes", ctypes.c_uint64), ("task_fds", ctypes.POINTER(ctypes.c_int))]


class Helper:
    def __init__(self, held):
        self._held = held
        library = ctypes.PyDLL(os.environ.get("ATOLL_ENTER") or DEFAULT_PATH)
        self._enter = library.atoll_enter
        self._enter.argtypes, self._enter.restype = [ctypes.POINTER(EnterPlan)], ctypes.c_int
        self._enter_whole = getattr(library, "atoll_enter_whole", None)
        if self._enter_whole is not None:
            self._enter_whole.argtypes, self._enter_whole.restype = self._enter.argtypes, ctypes.c_int
        self.copy_pages = getattr(library, "atoll_copy_pages", lambda *_: None)
        api = ctypes.pythonapi
        self._before, self._in_parent = api.PyOS_BeforeFork, api.PyOS_AfterFork_Parent
        self._in_child = api.PyOS_AfterFork_Child
        api.fflush(None)
        api.prctl(PR_SET_NAME, b"python3", 0, 0, 0)  # as its children are to be called
        for function in (self._before, self._in_parent, self._in_child):
            function.argtypes, function.restype = [], None

    def can_enter_whole(self):
        """Whether a child may go as it is. One with files to open again may not: its modules' hooks ran before."""
        return self._enter_whole is not None and self._held.none() and self._enter_whole(None) == 1

    def enter_whole(self, fds, box):
        """Returns inside, or not at all."""
        if self._enter_whole(ctypes.byref(_plan(fds, box))) != 0:
            os._exit(127)

    def enter(self, box, fds):
        """True in the child, which is then inside; False in the zygote. OSError if there is no child."""
        if not self._held.fit(box.open_files):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        plan = _plan(fds, box)
        self._before()
        result = self._enter(ctypes.byref(plan))
        if result == 0:
            try:
                self._held.open_again()  # before the hooks of modules, which may close files
                self._in_child()
            except BaseException:
                os._exit(127)  # nothing may lead back into the zygote's loop
            return True
        self._in_parent()
        if result < 0:
            raise OSError(-result, os.strerror(-result))
        return False


def _plan(fds, box):
    tasks = (ctypes.c_int * max(1, len(box.tasks)))(*box.tasks)
    return EnterPlan(
        stdin_fd=fds[0], stdout_fd=fds[1], stderr_fd=fds[2], report_fd=fds[3], args_fd=fds[4],
        control_fd=fds[5] if len(fds) > 5 else -1, pidfd=box.pidfd, uid=box.uid, gid=box.gid,
        open_files=box.open_files, task_count=len(box.tasks), data_bytes=box.data_bytes, task_fds=tasks)
