// Environment: what is set, what is not, changes that reach children.
const { execSync } = require("child_process");
for (const name of ["LANG", "USER", "MISSING"]) console.log(name, process.env[name]);
console.log(process.env.HOME === process.cwd(), require("os").tmpdir() === process.env.TMPDIR);
process.env.CORPUS_NUMBER = 42;
process.env.CORPUS_WORD = "grüße";
console.log(typeof process.env.CORPUS_NUMBER, String(execSync('echo "$CORPUS_WORD $CORPUS_NUMBER"')).trim());
delete process.env.CORPUS_WORD;
console.log(
  "CORPUS_WORD" in process.env,
  process.platform,
  require("os").EOL === "\n",
  process.title.length > 0,
);
