// Children that fail: signals, time-outs, missing programs, too much output, a program without permission.
const { spawnSync, spawn, execFile } = require("child_process");
const fs = require("fs");
for (const signal of ["SIGTERM", "SIGKILL", "SIGUSR1"]) {
  const done = spawnSync("sh", ["-c", `kill -${signal.slice(3)} $$; sleep 60`]);
  console.log(done.status, done.signal);
}
const slow = spawnSync("sleep", ["60"], { timeout: 50 });
console.log(slow.error.code, slow.signal);
console.log(spawnSync("no-such-program-anywhere").error.code);
fs.writeFileSync("plain.txt", "#!/bin/sh\necho ran\n");
console.log(spawnSync("./plain.txt").error.code);
fs.chmodSync("plain.txt", 0o755);
console.log(String(spawnSync("./plain.txt").stdout));
execFile("yes", { maxBuffer: 1000 }, (error, stdout) => {
  console.log(error.code, stdout.length);
  const child = spawn("sleep", ["60"]);
  child.on("exit", (code, signal) => console.log("killed", code, signal, child.killed));
  child.on("spawn", () => console.log(child.kill("SIGINT")));
  spawn("also-not-there").on("error", (problem) => console.log(problem.code, problem.syscall));
});
