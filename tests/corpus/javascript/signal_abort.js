// abort is status 128 + 6.
console.log("about to abort");
process.abort();
