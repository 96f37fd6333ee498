"""Counting and wrapping text: words, anagrams, palindromes, Caesar, Roman numerals, templates."""
import collections
import string
import textwrap

text = """The island sleeps, the tide returns; the sand keeps what the tide forgets.
Nets are thrown, sent far, and come back as a ten-part list of silent things."""
words = [w.strip(string.punctuation).lower() for w in text.split()]
print(collections.Counter(words).most_common(3), max(words, key=len))
groups = collections.defaultdict(set)
for word in words + ["listen", "enlist", "tinsel", "nest"]:
    groups["".join(sorted(word))].add(word)
print(sorted(sorted(g) for g in groups.values() if len(g) > 1))
print(textwrap.fill(text, 34, initial_indent="  ", subsequent_indent="> "))
shift = str.maketrans(string.ascii_lowercase, string.ascii_lowercase[13:] + string.ascii_lowercase[:13])
print(text[:20].translate(shift), text[:20].translate(shift).translate(shift))


def roman(n):
    out = ""
    for value, sign in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
                           "M CM D CD C XC L XL X IX V IV I".split()):
        out += sign * (n // value)
        n %= value
    return out


print([roman(n) for n in (4, 9, 14, 40, 1990, 2024, 3999)])
for phrase in ("Racecar", "A man, a plan, a canal: Panama", "atoll"):
    letters = [c for c in phrase.lower() if c.isalpha()]
    print(phrase, letters == letters[::-1])
print(string.Template("$who owes $$${sum}").substitute(who="Ann", sum=5),
      "{:>8}|{:<6}|{:^7}".format("r", "l", "c"))
print("a,b,,c".split(","), " x y ".split(), "k=v=w".partition("="), "abc".center(9, "*"),
      "%05.1f %-4s| %+d %x" % (3.14159, "ab", 7, 255))
