"""Child processes under asyncio: pipes both ways, statuses, a child that is terminated."""
import asyncio
import sys
from asyncio.subprocess import PIPE


async def main():
    sort = await asyncio.create_subprocess_exec("sort", "-n", stdin=PIPE, stdout=PIPE)
    out, _ = await sort.communicate(b"10\n9\n2\n33\n")
    print(out.decode().split(), sort.returncode)
    shell = await asyncio.create_subprocess_shell("echo to stderr >&2; exit 3", stdout=PIPE, stderr=PIPE)
    print(await shell.communicate(), shell.returncode)
    sleeper = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)", stdout=PIPE)
    print(await sleeper.stdout.readline())
    sleeper.terminate()
    print(await sleeper.wait())
    many = await asyncio.gather(*(asyncio.create_subprocess_exec("sh", "-c", f"exit {n}") for n in range(4)))
    print([await child.wait() for child in many])


asyncio.run(main())
