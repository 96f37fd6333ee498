// A web server in a sandbox without network, asked by this program and shown to a browser.
import { Sandbox } from "@atoll/sdk";

await using sandbox = await Sandbox.create();
await sandbox.files.write("index.html", "<h1>Hello from a sandbox</h1>\n");
const server = await sandbox.start({ command: ["python3", "-m", "http.server", "8000"] }, { timeout: 0 });

const port = await sandbox.port(8000).ready();
const page = await port.fetch("/index.html");
console.log(page.status, (await page.text()).trim());

const preview = await port.preview({ ttl: 60 });
console.log(preview.urls.length > 0 ? "a browser can open it" : "no preview");
await server.cancel();
