// Node's fetch against one host. usage: client.mjs HOST SIZE
const [host, text] = process.argv.slice(2);
const base = `https://${host}`, size = Number(text);
const headers = {Authorization: `Bearer ${process.env.TOKEN}`};

function check(condition, what) {
  if (!condition) throw new Error(`${what} is wrong`);
  console.log(what);
}

const ask = (path, more = {}) => fetch(base + path, {headers, ...more});
check((await (await ask('/')).json()).line.startsWith('GET /'), 'fetch');
check((await (await ask(`/big?${size}`)).arrayBuffer()).byteLength === size, 'download');
check((await (await ask('/up', {method: 'POST', body: Buffer.alloc(size, 'x')})).json()).size === size, 'upload');
const decoder = new TextDecoder();
const seen = [];
for await (const chunk of (await ask('/stream')).body) {
  for (const line of decoder.decode(chunk).split('\n')) {
    if (!line.startsWith('data:')) continue;
    seen.push(line.slice(5).trim());
    await (await ask('/ack')).text();
  }
}
check(seen.join() === '0,1,2', 'events');
