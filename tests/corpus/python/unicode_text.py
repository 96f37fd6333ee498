"""Text beyond ASCII: combining marks, normal forms, wide and right-to-left letters, emoji, case."""
import unicodedata

words = ["naïve", "nai\u0308ve", "Straße", "ΌΣΟΣ", "日本語", "한국어", "שלום",
         "👩‍👩‍👧‍👦", "🏴\U000e0067\U000e0062\U000e007f", "ﬁ", "İ"]
for word in words:
    forms = [len(unicodedata.normalize(form, word)) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    print(word, len(word), len(word.encode()), forms, word.casefold(), word.upper(), ascii(word))
print(unicodedata.normalize("NFC", words[1]) == words[0], words[0] == words[1])
for char in "é€𝄞\u200d":
    print(f"U+{ord(char):06X} {unicodedata.name(char)} {unicodedata.category(char)}",
          char.encode("utf-16-be").hex())
print("".join(reversed("añb")), "ä".encode("latin-1"), "Ωmega".isidentifier(), int("٣٤"))
größe = 3
print(f"{größe=}", f"{'中文':>6}|{'é':^5}|")
