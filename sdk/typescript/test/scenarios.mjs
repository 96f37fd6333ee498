// Runs the scenarios that all SDKs share (sdk/SCENARIOS.md); started by sdk/harness.py.
import { readFileSync } from "node:fs";
import * as sdk from "@atoll/sdk";
import { CALLS, newClient, Result } from "./calls.mjs";
import { broken, filled } from "./conditions.mjs";

const PARALLEL = 3;

class World {
  constructor(scenario) {
    this.scenario = scenario;
    this.saved = new Map([["unique", Array.from({ length: 12 }, () => "abcdefghijklmnopqrstuvwxyz0123456789"[Math.floor(Math.random() * 36)]).join("")]]);
    this.objects = new Map();
    this.undo = [];
    this.client = newClient(scenario, { retries: scenario.retries });
    this.objects.set("client", this.client);
  }

  atEnd(what) {
    this.undo.push(what);
  }

  closing(stream) {
    this.atEnd(() => stream.close());
    return new Result({}, stream);
  }

  async end() {
    for (const undo of this.undo.reverse()) {
      await Promise.resolve().then(undo).catch(() => undefined); // gone already, or its server is
    }
  }
}

function wrongError(error, wanted) {
  if (!(error instanceof sdk.SandboxError)) return `not an error of the SDK: ${error?.stack ?? error}`;
  for (const name of ["code", "status", "at"]) {
    if (wanted[name] !== undefined && error[name] !== wanted[name]) return `${name} is ${error[name]}, not ${wanted[name]}: ${error.message}`;
  }
  if (wanted.class !== undefined && !(sdk[wanted.class] && error instanceof sdk[wanted.class])) return `it is a ${error.name}, not a ${wanted.class}`;
  if (wanted.retry_after === true && typeof error.retryAfter !== "number") return "it does not say when to come again";
  return undefined;
}

async function attempt(world, step) {
  const target = world.objects.get(step.on ?? "client");
  if (!target) throw new Error(`nothing is saved as ${step.on}`);
  const call = CALLS[target.constructor.name]?.[step.call];
  if (!call) throw new Error(`the runner has no step ${step.call} on ${target.constructor.name}`);
  let result;
  try {
    result = await call(target, filled(step.with ?? {}, world.saved), world);
  } catch (error) {
    return step.error ? wrongError(error, step.error) : `${error.name} ${error.code ?? ""}: ${error.message}`;
  }
  if (step.error) return `it should have failed with ${step.error.code}`;
  const problem = broken(result.value, filled(step.expect, world.saved));
  if (problem === undefined && step.save) {
    world.saved.set(step.save, result.value);
    if (result.object) world.objects.set(step.save, result.object);
  }
  return problem;
}

async function runStep(world, step) {
  const end = Date.now() + (step.until ? 60_000 : 0);
  for (;;) {
    const problem = await attempt(world, step);
    if (problem === undefined || Date.now() >= end) return problem;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function runScenario(scenario) {
  const world = new World(scenario);
  try {
    for (const [index, step] of scenario.steps.entries()) {
      const problem = await runStep(world, step).catch((error) => String(error?.stack ?? error));
      if (problem !== undefined) return { scenario: scenario.name, ok: false, detail: `step ${index + 1} (${step.call}): ${problem}` };
    }
    return { scenario: scenario.name, ok: true };
  } finally {
    await world.end();
  }
}

const { scenarios } = JSON.parse(readFileSync(process.env.ATOLL_SCENARIOS, "utf8"));
const told = (verdict) => console.log(JSON.stringify(verdict));
const waiting = scenarios.filter((one) => one.server === undefined);
await Promise.all(Array.from({ length: PARALLEL }, async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) told(await runScenario(next));
}));
for (const one of scenarios) if (one.server !== undefined) told(await runScenario(one));
