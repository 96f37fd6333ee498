// SIGKILL from oneself is status 128 + 9.
console.log("before");
process.kill(process.pid, "SIGKILL");
setTimeout(() => {}, 60000);
