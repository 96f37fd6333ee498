// A sandbox, code in it, and its end. Needs a server: ATOLL_URL and ATOLL_API_KEY name it.
import { Sandbox } from "@atoll/sdk";

await using sandbox = await Sandbox.create();
const done = await sandbox.run("print(6 * 7)");
console.log(done.stdout.trim());
console.log(`exit code ${done.exitCode}`);
