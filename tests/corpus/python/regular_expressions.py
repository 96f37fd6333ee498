"""Regular expressions: groups, look-around, substitution by function, flags, unicode, splitting."""
import re

log = """2024-05-01 12:00:01 ERROR disk: 93% full (sda1)
2024-05-01 12:00:05 INFO net: up
2024-05-02 08:15:00 ERROR net: 12 errors (eth0)"""
line = re.compile(r"^(?P<day>[\d-]+) (?P<time>\S+) (?P<level>[A-Z]+) (?P<unit>\w+): "
                  r"(?P<text>.*?)(?: \((?P<part>\w+)\))?$", re.M)
for match in line.finditer(log):
    print(match.groupdict())
print(re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "3 apples, 10 pears"),
      re.subn("a", "b", "banana", count=2))
print(re.findall(r"(?<=\$)\d+(?!\d*%)", "$15 $20% 30 $4"), re.split(r"([,;])\s*", "a, b;c,d"))
print(re.fullmatch(r"(\w)(\w)\w?\2\1", "level"), bool(re.fullmatch(r"[^\W\d_]+", "Größe")))
print(re.findall(r"\b\w", "élan vital ünder", re.ASCII), re.findall(r"(?i)straSSe", "STRASSE strasse"))
pattern = re.compile(r"""
    (?P<sign>[-+])?      # an optional sign
    (?P<whole>\d+)       # digits
    (?:\.(?P<part>\d+))? # and perhaps a fraction
""", re.X)
print([m.group("sign", "whole", "part") for m in pattern.finditer("-3.14 +2 7.")])
print(re.sub(rb"\xff+", b"|", b"a\xff\xffb\xffc"), re.escape("a.b*c"))
try:
    re.compile("(unclosed")
except re.error as error:
    print(error, error.pos)
