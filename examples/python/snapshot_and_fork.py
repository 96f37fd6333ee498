"""The files of one sandbox become those of two others, which then go their own ways."""

from atoll import Atoll

with Atoll() as atoll, atoll.create() as base:
    base.command("echo prepared > state.txt", check=True)
    snapshot = base.snapshot("prepared")

    for name in ("left", "right"):
        with atoll.create(snapshot=snapshot) as fork:
            fork.command(f"echo {name} >> state.txt", check=True)
            print(fork.files.read_text("state.txt").strip().replace("\n", ", "))
    print(f"the first still has {base.files.read_text('state.txt').strip()}")
    atoll.snapshots.delete(snapshot.id)
