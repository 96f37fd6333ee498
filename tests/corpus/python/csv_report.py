"""CSV in and out: quotes, separators, dictionaries, a small report."""
import collections
import csv
import io
import sys

text = '''date,name,"amount, EUR",note
2024-01-05,Müller,12.50,"said ""hi"", left"
2024-01-09,Smith,7,
2024-02-01,Müller,30.25,"two
lines"
'''
rows = list(csv.DictReader(io.StringIO(text)))
print(rows[0])
print(repr(rows[2]["note"]))
sums = collections.defaultdict(float)
for row in rows:
    sums[row["name"]] += float(row["amount, EUR"])
writer = csv.writer(sys.stdout, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
writer.writerow(["name", "sum"])
writer.writerows(sorted(sums.items()))
out = csv.DictWriter(sys.stdout, ["a", "b"], delimiter=";", extrasaction="ignore", restval="-")
out.writeheader()
out.writerow({"a": 'semi;colon "x"', "c": 3})
print(csv.Sniffer().sniff("a|b|c\n1|2|3\n").delimiter)
with open("table.csv", "w", newline="") as file:
    csv.writer(file).writerows([[i, i * i] for i in range(3)])
print(open("table.csv", "rb").read())
