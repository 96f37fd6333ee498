// Arguments arrive as they were given.
console.log(process.argv.slice(2));
console.log(process.argv.length, require("path").basename(process.argv[1]));
const options = {};
const names = process.argv.slice(2).filter((word) => {
  const match = /^--(\w+)(?:=(.*))?$/.exec(word);
  if (match) options[match[1]] = match[2] ?? true;
  return !match;
});
console.log(options, names.length);
