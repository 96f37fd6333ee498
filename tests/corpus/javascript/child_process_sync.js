// Synchronous children: output, input, inherited streams keep their order, a thrown status.
const { execSync, execFileSync, spawnSync } = require("child_process");
console.log(execFileSync("sort", ["-rn"], { input: "3\n20\n1\n", encoding: "utf8" }).split("\n"));
console.log("before");
execSync("echo inherited", { stdio: "inherit" });
console.log("after");
try {
  execSync("echo out; echo err >&2; exit 3", { stdio: "pipe" });
} catch (error) {
  console.log(error.status, String(error.stdout), String(error.stderr));
}
const done = spawnSync(process.execPath, ["-e", "process.stdin.pipe(process.stdout)"], {
  input: "x".repeat(300000),
});
console.log(
  done.status,
  done.stdout.length,
  execSync("echo $0; echo 'a  b'", { shell: "/bin/bash" }).toString(),
);
