// A CSV reader written as a small machine, and a report with columns lined up.
const text = `date,name,"amount, EUR",note
2024-01-05,Müller,12.50,"said ""hi"", left"
2024-01-09,Smith,7,
2024-02-01,Müller,30.25,"two
lines"
`;
function parse(source) {
  const rows = [[]];
  let field = "",
    quoted = false;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (source[i + 1] === '"') field += source[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === "," || c === "\n") {
      rows.at(-1).push(field);
      field = "";
      if (c === "\n" && i + 1 < source.length) rows.push([]);
    } else field += c;
  }
  const [names, ...data] = rows;
  return data.map((row) => Object.fromEntries(row.map((value, i) => [names[i], value])));
}
const rows = parse(text);
console.log(rows);
const sums = {};
for (const row of rows) sums[row.name] = (sums[row.name] ?? 0) + Number(row["amount, EUR"]);
for (const [name, sum] of Object.entries(sums).sort())
  console.log(name.padEnd(10, ".") + sum.toFixed(2).padStart(8));
const quote = (value) => (/[",\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value);
console.log(
  rows.map((row) => Object.values(row).map(quote).join(",")).join("\n") ===
    text.split("\n").slice(1, -1).join("\n"),
);
