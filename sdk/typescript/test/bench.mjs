// What a request costs beyond bare fetch, for bench/sdks.py: rows as JSON.
import { Atoll } from "@atoll/sdk";

const rounds = process.argv.includes("--quick") ? 300 : 3000;
const client = new Atoll();
const url = `${process.env.ATOLL_URL}/api/v1/health`;
const headers = { authorization: `Bearer ${process.env.ATOLL_API_KEY}` };
const bare = async () => (await fetch(url, { headers })).json();
const samples = { ours: [], bare: [] };
for (let i = 0; i < rounds + 50; i++) {
  const pair = [["ours", () => client.health()], ["bare", bare]];
  for (const [name, call] of i % 2 ? pair : pair.reverse()) {
    const begun = performance.now();
    await call();
    if (i >= 50) samples[name].push(performance.now() - begun); // the first ones are compiled
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const row = (title, value) => ({ case: title, contender: "TypeScript", mode: "", unit: "ms", value });
console.log(JSON.stringify([
  row("a request beyond the bare HTTP library", median(samples.ours) - median(samples.bare)),
  row("a request with the bare HTTP library", median(samples.bare)),
]));
