"""One virtual machine from its start to its end: its output as it comes, a deadline, and an exit status."""
import os
import re
import subprocess
import sys
import tempfile
import threading

QEMU = "qemu-system-x86_64"
RESULT = re.compile(r"^test-vm: exit (\d+)$")
MEMORY_MIB = 3072
PROBE_SECONDS = 15
LAST_WORDS = 50  # lines of the kernel's log, where it is all there is


def qemu(accel, kernel, words, more):
    """The command line; it dies with whoever started it, and never reaches a network."""
    append = " ".join(["console=ttyS0", "panic=-1", "quiet", "mitigations=off", *words])
    return ["setpriv", "--pdeathsig", "KILL", QEMU, "-no-user-config", "-nodefaults", "-display", "none", "-no-reboot",
            "-machine", "q35", "-accel", accel, "-cpu", "host" if accel == "kvm" else "max", "-smp", "2",
            "-m", str(MEMORY_MIB), "-kernel", str(kernel.image), "-append", append, *more]


def kvm_works(cache, kernel):
    """Boots the kernel without a disk: it must come as far as its own panic, which ends the machine.
    Asked once for each kernel of the host, as one that hangs takes the whole time."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    answer = cache / f"kvm-{os.uname().release}-{kernel.release}"
    if not answer.exists():
        command = qemu("kvm", kernel, [], ["-serial", "stdio"])
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS)
            works = done.returncode == 0 and b"Kernel panic" in done.stdout
        except subprocess.TimeoutExpired:
            works = False
        answer.write_text("yes" if works else "no")
    return answer.read_text() == "yes"


def disk(name, file, options):
    return ["-drive", f"if=none,id={name},file={file},format=raw,cache=unsafe,{options}", "-device", f"nvme-ns,drive={name}"]


def run(accel, kernel, root, tree_disk, tree, deadline):
    """Streams what the tests print; returns their exit status, or 1 with the kernel's last words."""
    with tempfile.TemporaryFile() as console:
        words = ["root=/dev/nvme0n1", "rw", "init=/init", f"TREE={tree}"]
        # Both disks are written to and neither is kept: the root through a copy that has no name.
        # Two namespaces of one NVMe device, which this kernel has a driver for without any module.
        disks = ["-device", "nvme,serial=disks", *disk("root", root, "snapshot=on"),
                 *disk("tree", f"/proc/self/fd/{tree_disk.fileno()}", "file.locking=off")]
        command = qemu(accel, kernel, words, [*disks, "-serial", f"file:/proc/self/fd/{console.fileno()}", "-serial", "stdio"])
        machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   pass_fds=[tree_disk.fileno(), console.fileno()])
        late = threading.Event()
        timer = threading.Timer(deadline, lambda: (late.set(), machine.kill()))
        timer.start()
        status = None
        try:
            for raw in machine.stdout:
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                found = RESULT.match(line)
                if found:
                    status = int(found[1])
                    break
                print(line, flush=True)
        finally:
            timer.cancel()
            machine.kill()
            machine.wait()
            machine.stdout.close()
        if status is not None:
            return status
        console.seek(0)
        print("\n".join(console.read().decode("utf-8", "replace").splitlines()[-LAST_WORDS:]), file=sys.stderr)
        print(f"test-vm: {f'not done after {deadline} s' if late.is_set() else 'the machine ended without a result'}", file=sys.stderr)
        return 1
