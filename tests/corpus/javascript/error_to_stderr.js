// What goes to stderr: console.error, console.warn, direct writes; stdout apart from it.
console.log("out 1");
console.error("err 1", { a: [1, 2] });
console.warn("grün %s %d", "🌿", 42);
process.stderr.write("no newline at the end");
console.log("out 2");
process.exitCode = 9;
