// A web server and its clients in one process: methods, bodies, statuses, keep-alive, streaming, fetch.
const http = require("http");
const server = http.createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  if (request.url === "/stream") {
    response.writeHead(200, { "Content-Type": "text/plain" });
    for (let i = 0; i < 3; i++) response.write(`part ${i}\n`);
    return response.end("end");
  }
  const status = request.url.startsWith("/ok") ? 200 : 404;
  response.writeHead(status, { "Content-Type": "application/json", "X-Method": request.method });
  response.end(JSON.stringify({ path: request.url, length: body.length }));
});
server.listen(0, "127.0.0.1", async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const answer = await fetch(base + "/ok?q=ü");
  console.log(answer.status, answer.headers.get("x-method"), await answer.json());
  console.log(await (await fetch(base + "/ok", { method: "POST", body: "y".repeat(100000) })).json());
  console.log(
    (await fetch(base + "/none")).status,
    (await (await fetch(base + "/stream")).text()).split("\n"),
  );
  const agent = new http.Agent({ keepAlive: true });
  const get = () =>
    new Promise((resolve) =>
      http.get(base + "/ok", { agent }, (r) => r.resume().on("end", () => resolve(r.statusCode))),
    );
  console.log(await get(), await get());
  agent.destroy();
  server.close();
  server.closeAllConnections();
  server.on("close", () => console.log("closed"));
});
