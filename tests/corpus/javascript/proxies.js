// Proxies and Reflect: defaults, validation, logging, negative indexes, revoking, frozen objects.
const withDefault = (target, value) => new Proxy(target, { get: (t, k) => (k in t ? t[k] : value) });
const counts = withDefault({}, 0);
for (const c of "mississippi") counts[c]++;
console.log(JSON.stringify(counts), counts.zebra);
const typed = new Proxy(
  {},
  {
    set(target, key, value) {
      if (typeof value !== "number") throw new TypeError(`${String(key)} must be a number`);
      return Reflect.set(target, key, value);
    },
    has: (target, key) => key.startsWith("x") && Reflect.has(target, key),
    ownKeys: (target) => Reflect.ownKeys(target).filter((k) => !k.startsWith("_")),
    deleteProperty: () => false,
  },
);
typed.x1 = 1;
typed._hidden = 2;
console.log("x1" in typed, "_hidden" in typed, Object.keys(typed), Reflect.deleteProperty(typed, "x1"));
try {
  typed.y = "text";
} catch (error) {
  console.log(error.message);
}
const array = new Proxy([1, 2, 3], {
  get: (t, k, r) => Reflect.get(t, typeof k === "string" && /^-\d+$/.test(k) ? t.length + +k : k, r),
});
console.log(
  array[-1],
  array.length,
  array.map((x) => x * 2),
);
const calls = [];
const spy = new Proxy(
  function (a, b) {
    return a + b;
  },
  {
    apply: (f, self, args) => {
      calls.push(args);
      return Reflect.apply(f, self, args);
    },
    construct: () => ({ made: true }),
  },
);
console.log(spy(1, 2), new spy().made, calls);
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
try {
  proxy.x;
} catch (error) {
  console.log(error.name);
}
const frozen = Object.freeze({ a: 1, inner: { b: 2 } });
frozen.a = 9;
frozen.inner.b = 3;
console.log(
  frozen,
  Object.isFrozen(frozen),
  Reflect.ownKeys({ [Symbol.for("s")]: 1, n: 2 }),
  Object.getOwnPropertyDescriptor(frozen, "a"),
);
