// Counting and shaping text: words, anagrams, palindromes, Caesar, Roman numerals, wrapping, diff.
const text = `The island sleeps, the tide returns; the sand keeps what the tide forgets.
Nets are thrown, sent far, and come back as a ten-part list of silent things.`;
const words = text.toLowerCase().match(/[a-z-]+/g);
const counts = Object.entries(words.reduce((c, w) => ({ ...c, [w]: (c[w] ?? 0) + 1 }), {}));
console.log(counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3), words.length);
const groups = new Map();
for (const word of [...words, "listen", "enlist", "nest"]) {
  const key = [...word].sort().join("");
  groups.set(key, (groups.get(key) ?? new Set()).add(word));
}
console.log([...groups.values()].filter((g) => g.size > 1).map((g) => [...g].sort().join(" ")));
const wrap = (s, width) =>
  s.replace(/\s+/g, " ").replace(new RegExp(`(?![^\\n]{1,${width}}$)([^\\n]{1,${width}})\\s`, "g"), "$1\n");
console.log(wrap(text, 34));
const rot13 = (s) =>
  s.replace(/[a-z]/gi, (c) =>
    String.fromCharCode((c <= "Z" ? 90 : 122) >= (c = c.charCodeAt(0) + 13) ? c : c - 26),
  );
console.log(rot13(text.slice(0, 20)), rot13(rot13("Island")));
const roman = (n) =>
  [
    [1000, "M"],
    [900, "CM"],
    [500, "D"],
    [400, "CD"],
    [100, "C"],
    [90, "XC"],
    [50, "L"],
    [40, "XL"],
    [10, "X"],
    [9, "IX"],
    [5, "V"],
    [4, "IV"],
    [1, "I"],
  ].reduce((out, [value, sign]) => {
    while (n >= value) {
      out += sign;
      n -= value;
    }
    return out;
  }, "");
console.log([4, 9, 14, 40, 1990, 2024, 3999].map(roman).join(" "));
const letters = (s) => s.toLowerCase().replace(/[^a-z]/g, "");
console.log(
  ["Racecar", "A man, a plan, a canal: Panama", "atoll"].map(
    (s) => letters(s) === [...letters(s)].reverse().join(""),
  ),
);
console.log(
  "aaabccdda".replace(/(.)\1*/g, (run, c) => c + run.length),
  "x".padStart(5, "ab"),
  " trim ".trim().length,
  "a-b-c".split("-", 2),
  "abc".localeCompare("abd"),
);
