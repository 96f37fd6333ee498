// Runs in a browser, on a page of another origin than the server's (sdk/typescript/test.py browser).
import { Atoll, ConnectionFailedError, NotFoundError, Sandbox } from "@atoll/sdk";

const { url, apiKey, listed } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function equal(got, wanted, what) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
}

async function refusal(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it should have failed");
}

async function everything() {
  const atoll = new Atoll({ url, apiKey });
  const sandbox = await atoll.create({ timeout: 120 });
  try {
    equal((await sandbox.run("print(6 * 7)")).stdout, "42\n", "run");
    let told = "";
    for await (const event of sandbox.stream("for i in range(3): print(i, flush=True)")) if (event.type === "stdout") told += event.text;
    equal(told, "0\n1\n2\n", "stream");

    const stop = new AbortController();
    const left = await refusal(async () => {
      for await (const event of sandbox.stream({ command: "echo begun; sleep 1000" }, { signal: stop.signal })) {
        if (event.type === "stdout") stop.abort(new Error("enough"));
      }
    });
    equal(left.message, "enough", "an aborted stream");

    const python = await sandbox.openContext();
    await python.run("import matplotlib.pyplot as plt; x = [1, 4, 9]");
    const drawn = await python.run("plt.bar(['a', 'b', 'c'], x); plt.show(); sum(x)");
    equal([drawn.result.text, drawn.results.some((one) => one.png?.length > 100)], ["14", true], "context");
    await python.close();

    await sandbox.files.write("picture", new Blob([new Uint8Array([0, 255, 1])]));
    equal([...(await sandbox.files.read("picture"))], [0, 255, 1], "bytes");
    equal(await sandbox.files.readText("picture", { first: 2 }), "\u0001", "range");
    await sandbox.files.write("ü/name", "text");
    const names = [];
    for await (const file of sandbox.files.list("ü")) names.push(file.path);
    equal(names, ["ü/name"], "list");

    const server = await sandbox.start({ command: "python3 -m http.server 8000" }, { timeout: 0 });
    const port = await sandbox.port(8000).ready();
    equal(await (await port.fetch("/ü/name")).text(), "text", "port");
    await server.cancel();

    const missing = await refusal(() => atoll.connect("no-such-sandbox"));
    equal([missing instanceof NotFoundError, missing.code], [true, "session_not_found"], "error");
    const terminal = await refusal(() => sandbox.terminal());
    equal(terminal instanceof ConnectionFailedError, true, "terminal");
  } finally {
    await sandbox.end();
  }
}

/** A page that the server does not list can do nothing, not even with a key. */
async function nothing() {
  const error = await refusal(() => Sandbox.create({ client: { url, apiKey, retries: 0 } }));
  equal(error instanceof ConnectionFailedError, true, "refusal");
}

const verdict = await (listed ? everything() : nothing()).then(() => "ok", (error) => String(error?.stack ?? error));
await fetch("/verdict", { method: "POST", body: verdict });
