// A table goes in; figures and a chart come out, as a picture and as data.
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@atoll/sdk";

await using sandbox = await Sandbox.create({ timeout: 600 });
await sandbox.files.write("sales.csv", "month,sales\nJan,100\nFeb,200\nMar,300\n");

await using python = await sandbox.openContext({ language: "python" });
await python.run("import pandas; table = pandas.read_csv('sales.csv')", { check: true });
const total = await python.run("int(table.sales.sum())", { check: true });
console.log(`total ${total.result?.text}`);

const drawn = await python.run(`
import matplotlib.pyplot as plt
plt.bar(table.month, table.sales)
plt.title("Sales")
plt.show()
`, { check: true });
const picture = drawn.results.find((one) => one.png);
await writeFile(join(tmpdir(), "atoll-sales.png"), picture?.png ?? "");
const chart = picture?.chart as { title?: string } | undefined;
console.log(`picture ${picture ? "saved" : "missing"}, chart "${chart?.title}"`);
