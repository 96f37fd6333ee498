// A small language: tokens, precedence climbing, variables, functions, errors with their place.
const levels = { "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "**": 3 };
const apply = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
};
function* tokens(text) {
  const token = /\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(\*\*|[-+*/%(),=]))/y;
  text = text.trimEnd();
  while (token.lastIndex < text.length) {
    const at = token.lastIndex,
      match = token.exec(text);
    if (!match) throw new SyntaxError(`unexpected ${text.slice(at).trim()[0]} at ${at}`);
    yield match[1] ? Number(match[1]) : (match[2] ?? match[3]);
  }
}
function evaluate(text, names) {
  const items = [...tokens(text)];
  const expect = (sign) => {
    const found = items.shift();
    if (found !== sign) throw new SyntaxError(`expected ${sign}, found ${found}`);
  };
  const atom = () => {
    const item = items.shift();
    if (typeof item === "number") return item;
    if (item === "-") return -expression(3);
    if (item === "(") {
      const value = expression(1);
      expect(")");
      return value;
    }
    if (!/^\w/.test(item ?? "")) throw new SyntaxError(`unexpected ${item}`);
    if (!(item in names)) throw new ReferenceError(`no ${item}`);
    if (items[0] !== "(") return names[item];
    items.shift();
    const values = [expression(1)];
    while (items[0] === "," && items.shift()) values.push(expression(1));
    expect(")");
    return names[item](...values);
  };
  const expression = (level) => {
    let left = atom();
    while (levels[items[0]] >= level) {
      const sign = items.shift();
      left = apply[sign](left, expression(levels[sign] + (sign === "**" ? 0 : 1)));
    }
    return left;
  };
  if (items[1] === "=") {
    const [name] = items.splice(0, 2);
    return (names[name] = expression(1));
  }
  const value = expression(1);
  if (items.length) throw new SyntaxError(`trailing ${items[0]}`);
  return value;
}
const names = { pi: Math.PI, max: Math.max, sqrt: Math.sqrt };
for (const line of [
  "1 + 2 * 3",
  "x = 2 ** 3 ** 2",
  "-x / 4 % 7",
  "max(1, x, sqrt(16)) - (3)",
  "10 - 4 - 3",
  "2 *",
  "(1",
  "y + 1",
  "3 $ 4",
  "1 / 0",
]) {
  try {
    console.log(line, "=>", evaluate(line, names));
  } catch (error) {
    console.log(line, "=>", error.name, error.message);
  }
}
