// The files of one sandbox become those of two others, which then go their own ways.
import { Atoll } from "@atoll/sdk";

const atoll = new Atoll();
await using base = await atoll.create();
await base.exec("echo prepared > state.txt", { check: true });
const snapshot = await base.snapshot("prepared");

for (const name of ["left", "right"]) {
  await using fork = await atoll.create({ snapshot: snapshot.id });
  await fork.exec(`echo ${name} >> state.txt`, { check: true });
  console.log((await fork.files.readText("state.txt")).trim().replace("\n", ", "));
}
console.log(`the first still has ${(await base.files.readText("state.txt")).trim()}`);
await atoll.snapshots.delete(snapshot.id);
