// CommonJS: modules made as it runs, the cache, cycles, JSON, folders, what is missing.
const fs = require("fs");
fs.writeFileSync(
  "helper.js",
  "console.log('loading helper');\nlet n = 0;\nmodule.exports = { next: () => ++n };\n",
);
fs.mkdirSync("pack");
fs.writeFileSync("pack/package.json", '{"main": "start.js"}');
fs.writeFileSync("pack/start.js", "exports.where = require('path').basename(__dirname);\n");
fs.writeFileSync("data.json", '{"list": [1, 2, 3]}');
fs.writeFileSync("a.js", "exports.early = 1;\nconst b = require('./b');\nexports.late = b.sees;\n");
fs.writeFileSync("b.js", "const a = require('./a');\nexports.sees = Object.keys(a).join();\n");
console.log(require("./helper").next(), require("./helper.js").next());
delete require.cache[require.resolve("./helper")];
console.log(require("./helper").next());
console.log(require("./pack").where, require("./data").list, require("./a"));
try {
  require("./missing");
} catch (error) {
  console.log(error.code);
}
fs.writeFileSync("bad.js", "module.exports = {;\n");
try {
  require("./bad");
} catch (error) {
  console.log(error.name);
}
console.log(
  require.main === module,
  module.children.length > 3,
  require("path").basename(__filename),
  typeof require("node:fs").readFileSync,
);
