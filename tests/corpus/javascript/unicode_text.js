// Text beyond ASCII: code units and points, normal forms, surrogates, encoders, property classes.
const words = ["naïve", "nai\u0308ve", "Straße", "ΌΣΟΣ", "日本語", "한국어", "שלום", "👩‍👩‍👧‍👦", "ﬁ", "İ"];
for (const word of words) {
  const forms = ["NFC", "NFD", "NFKC", "NFKD"].map((form) => word.normalize(form).length);
  console.log(word, word.length, [...word].length, Buffer.byteLength(word), forms.join(), word.toUpperCase());
}
console.log(words[0] === words[1], words[0] === words[1].normalize());
for (const char of "é€𝄞")
  console.log(char.codePointAt(0).toString(16), char.length, encodeURIComponent(char));
console.log(
  [..."añ𝄞b"].reverse().join(""),
  "añ𝄞b".at(2).charCodeAt(0).toString(16),
  "\u{1F600}" === "\uD83D\uDE00",
);
console.log(
  "Größe 中文 x1".match(/\p{L}+/gu),
  /^\p{Emoji}$/u.test("🙂"),
  /^.$/.test("🙂"),
  /^.$/u.test("🙂"),
);
console.log(
  new TextEncoder().encode("é\uD800!").join(" "),
  new TextDecoder("utf-16le").decode(new Uint8Array([60, 216, 8, 223])),
);
const größe = "identifier";
console.log(größe, "z" < "ä", ["z", "ä", "a"].sort().join(""), "I".toLowerCase(), "a\tb\u0000c".length);
