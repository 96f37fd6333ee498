// Paths, conditions and references of scenarios (sdk/SCENARIOS.md).
import { isDeepStrictEqual } from "node:util";

export function at(value, path) {
  if (path === undefined || path === "") return value;
  const [name, ...rest] = path.split(".");
  return along(value, [name, ...rest]);
}

function along(value, names) {
  if (names.length === 0) return value;
  const [name, ...rest] = names;
  if (value === null || value === undefined) return undefined;
  if (name === "*") return [...Object.values(value)].map((one) => along(one, rest));
  if (Array.isArray(value) && /^-?\d+$/.test(name)) return along(value.at(Number(name)), rest);
  return along(typeof value === "object" ? value[name] : undefined, rest);
}

const isPresent = (value) => value !== undefined && value !== null;
const holdsMembers = (value, members) =>
  typeof value === "object" && value !== null && Object.entries(members).every(([name, one]) => isDeepStrictEqual(value[name], one));

function contains(value, wanted) {
  if (typeof value === "string") return value.includes(wanted);
  if (Array.isArray(value)) return value.some((one) => isDeepStrictEqual(one, wanted));
  return holdsMembers(value, wanted);
}

const CONDITIONS = {
  equals: (value, wanted) => isDeepStrictEqual(value, wanted),
  not_equals: (value, wanted) => !isDeepStrictEqual(value, wanted),
  contains,
  lacks: (value, wanted) => !contains(value, wanted),
  matches: (value, wanted) => typeof value === "string" && new RegExp(wanted).test(value),
  length: (value, wanted) => isPresent(value) && (typeof value === "string" ? [...value].length : Object.keys(value).length) === wanted,
  at_least: (value, wanted) => typeof value === "number" && value >= wanted,
  at_most: (value, wanted) => typeof value === "number" && value <= wanted,
  one_of: (value, wanted) => wanted.some((one) => isDeepStrictEqual(value, one)),
  present: (value, wanted) => isPresent(value) === wanted,
};

/** The first condition that does not hold, as a sentence. */
export function broken(value, conditions) {
  for (const { path, ...rest } of conditions ?? []) {
    const found = at(value, path);
    for (const [name, wanted] of Object.entries(rest)) {
      const check = CONDITIONS[name];
      if (!check) return `no such condition: ${name}`;
      if (!check(found, wanted)) return `${path || "it"} ${name} ${show(wanted)}, but is ${show(found)}`;
    }
  }
  return undefined;
}

const show = (value) => (JSON.stringify(value) ?? "absent").slice(0, 300);

export { holdsMembers };

/** A value with its references replaced. */
export function filled(value, saved) {
  if (Array.isArray(value)) return value.map((one) => filled(one, saved));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, saved)]));
  }
  if (typeof value !== "string") return value;
  const look = (path) => {
    const [name, ...rest] = path.split(".");
    if (!saved.has(name)) throw new Error(`nothing is saved as ${name}`);
    return at(saved.get(name), rest.join("."));
  };
  const whole = /^\$\{([^}]+)\}$/.exec(value);
  if (whole) return look(whole[1]);
  return value.replace(/\$\$\{|\$\{([^}]+)\}/g, (text, path) => (path === undefined ? "${" : String(look(path))));
}
