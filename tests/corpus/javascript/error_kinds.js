// Errors: kinds, classes of one's own, causes, groups, finally, stack traces of one's own shape.
class AppError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "AppError";
    this.code = code;
  }
}
const kinds = [
  () => null.x,
  () => undefinedName,
  () => [].reduce((a) => a),
  () => new Array(-1),
  () => decodeURIComponent("%"),
  () => JSON.parse("{bad"),
  () => {
    const c = 1;
    c = 2;
  },
  () => (1).toFixed(101),
  () => Symbol() + "",
  () => {
    throw "text";
  },
];
for (const kind of kinds) {
  try {
    kind();
  } catch (error) {
    console.log(error instanceof Error ? error.name : typeof error, error instanceof TypeError);
  }
}
try {
  try {
    throw new RangeError("root");
  } catch (cause) {
    throw new AppError(4, "outer", { cause });
  }
} catch (error) {
  console.log(String(error), error.code, error.cause.message, error instanceof AppError);
}
const group = new AggregateError([new Error("a"), new Error("b")], "two");
console.log(
  group.errors.map((e) => e.message),
  group.message,
);
const surprising = () => {
  for (;;) {
    try {
      return "from try";
    } finally {
      break;
    }
  }
  return "after the loop";
};
console.log(surprising());
Error.prepareStackTrace = (error, frames) =>
  frames
    .slice(0, 2)
    .map((f) => `${f.getFunctionName()}:${f.getLineNumber()}`)
    .join(" < ");
function inner() {
  return new Error("x").stack;
}
function outer() {
  return inner();
}
console.log(outer());
