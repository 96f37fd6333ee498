// Regular expressions: named groups, look-around, sticky, replace by function, matchAll, unicode.
const log = `2024-05-01 12:00:01 ERROR disk: 93% full (sda1)
2024-05-01 12:00:05 INFO net: up
2024-05-02 08:15:00 ERROR net: 12 errors (eth0)`;
const line =
  /^(?<day>[\d-]+) (?<time>\S+) (?<level>[A-Z]+) (?<unit>\w+): (?<text>.*?)(?: \((?<part>\w+)\))?$/gm;
for (const { groups } of log.matchAll(line)) console.log({ ...groups });
console.log(
  "3 apples, 10 pears".replace(/\d+/g, (n) => n * 2),
  "2024-05-01".replace(/(\d+)-(\d+)-(\d+)/, "$3.$2.$1"),
);
console.log(
  "$15 $20% 30 $4".match(/(?<=\$)\d+(?!\d*%)/g),
  "a, b;c,d".split(/([,;])\s*/),
  /(\w)(\w)\w?\2\1/.exec("level")?.index,
);
const sticky = /\w+\s*/y;
const parts = [];
for (let match; (match = sticky.exec("one two  three"));) parts.push(match[0]);
console.log(
  parts,
  sticky.lastIndex,
  "x".replaceAll("x", "$&$&"),
  "camelCaseText".replace(/[A-Z]/g, (c) => "_" + c.toLowerCase()),
);
console.log(
  /^\p{Lu}/u.test("Élan"),
  "aBC".search(/[A-Z]/),
  /a.c/s.test("a\nc"),
  [..."a1b22".matchAll(/\d+/g)].map((m) => m.index),
);
console.log(/(?<year>\d{4})/d.exec("in 2024").indices.groups.year, RegExp("[" + "\\]" + "]").source);
try {
  new RegExp("(unclosed");
} catch (error) {
  console.log(error.name);
}
