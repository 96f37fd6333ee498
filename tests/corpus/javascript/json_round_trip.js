// JSON: replacers, revivers, order, what is dropped, cycles, structuredClone.
const data = {
  text: 'quote " slash \\ tab\t é 🙂 \u2028',
  list: [1, 2.5, -0, 1e100, true, null],
  nested: { b: {}, a: [] },
};
console.log(JSON.stringify(data));
console.log(JSON.stringify(data, null, 2));
console.log(
  JSON.stringify({
    u: undefined,
    f() {},
    s: Symbol("x"),
    n: NaN,
    i: Infinity,
    d: new Date(0),
    m: new Map([[1, 2]]),
    a: [undefined],
  }),
);
console.log(
  JSON.stringify({ a: 1, secret: 2, b: { secret: 3 } }, (key, value) =>
    key === "secret" ? undefined : value,
  ),
);
console.log(
  JSON.stringify({ z: 1, a: 2, m: 3 }, ["m", "z"]),
  JSON.stringify({ toJSON: () => "own form" }),
  JSON.stringify("\ud800"),
);
console.log(
  JSON.parse('{"when":"1970-01-01","n":[1,2]}', (key, value) =>
    key === "when" ? new Date(value).getTime() : value,
  ),
);
console.log(
  Object.keys(JSON.parse('{"b":1,"2":2,"a":3,"1":4}')),
  JSON.parse('{"a":1,"a":2}').a,
  JSON.parse(" [1 , 2] ").length,
);
for (const bad of ['{"a": }', "[1,]", '"open', "[1] x", "", "nul", "{'a':1}", "01"]) {
  try {
    JSON.parse(bad);
    console.log("accepted", bad);
  } catch (error) {
    console.log(error.name, bad);
  }
}
const loop = { name: "loop" };
loop.self = loop;
try {
  JSON.stringify(loop);
} catch (error) {
  console.log(error.name, error.message.split("\n")[0]);
}
const copy = structuredClone({ loop, map: new Map([["k", new Set([1])]]), when: new Date(0) });
console.log(copy.loop.self === copy.loop, copy.map.get("k").has(1), copy.when.toISOString());
