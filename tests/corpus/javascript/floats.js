// Floating point: formatting, rounding, special values, comparisons.
console.log(0.1 + 0.2, 1e21, 1e-7, 123456789.123456789, 1 / 3, -0, 5e-324, Number.MAX_VALUE, Number.EPSILON);
console.log(
  (1.005).toFixed(2),
  (1e21).toFixed(2),
  (123.456).toPrecision(4),
  (0.00001234).toExponential(2),
  (1234.5678).toFixed(),
);
console.log(
  Math.round(0.5),
  Math.round(-0.5),
  Math.round(2.5),
  Math.trunc(-1.9),
  Math.floor(-0.5),
  Math.sign(-3),
  Math.fround(0.1),
);
console.log(
  Infinity - Infinity,
  -1 / 0,
  NaN === NaN,
  Object.is(-0, 0),
  [NaN].includes(NaN),
  [NaN].indexOf(NaN),
  isNaN("x"),
);
console.log(
  parseFloat("3.14abc"),
  Number(""),
  Number(" 12 "),
  Number("0x1f"),
  Number("1e3"),
  Number(null),
  Number(undefined),
  +[],
);
console.log((1234567.891).toLocaleString("en-US"), (0.256).toLocaleString("en-US", { style: "percent" }));
console.log(
  Math.max(),
  Math.min(),
  Math.hypot(3, 4, 12),
  Math.cbrt(27),
  Math.log2(1024),
  Math.atan2(1, -1).toFixed(10),
  Math.clz32(1),
);
console.log(
  9007199254740993,
  0.1 * 3,
  4.35 * 100,
  1.1 + 2.2,
  1e16 + 1,
  (25).toString(36),
  (0.5).toString(2),
  2 ** -1074,
);
console.log(
  [0.1, 0.2, 0.3].reduce((a, b) => a + b),
  ["1", "2", "3"].map(Number),
  ["1", "2", "3"].map(parseInt),
);
