"""What each step of a scenario does with the Python SDK, whichever half: answers that can be awaited are."""
import base64
import hashlib
import inspect
import json
import os
import pathlib
import tempfile
import urllib.request

import atoll

URLS = {"main": "ATOLL_URL", "faulty": "ATOLL_FAULTY_URL", "spare": "ATOLL_SPARE_URL", "dead": "ATOLL_DEAD_URL"}


def pattern(size):
    """Byte i is (i * 131 + (i >> 8) * 17) & 255; it repeats after 64 KiB."""
    block = bytes((i * 131 + (i >> 8) * 17) & 255 for i in range(65536))
    return (block * (size // 65536 + 1))[:size]


async def got(value):
    return await value if inspect.isawaitable(value) else value


async def all_of(iterator):
    if hasattr(iterator, "__aiter__"):
        return [item async for item in iterator]
    return list(iterator)


def shown(value):
    """The JSON of a model, or of a list of them."""
    return value.to_json()


class Steps:
    def __init__(self, kind, scenario):
        self.asynchronous = kind == "async"
        self.scenario = scenario
        self.made, self.open, self.clients = [], [], []
        self.folder = tempfile.mkdtemp(dir=os.environ["ATOLL_FOLDER"])

    def client(self, key=None, server="main", retries=None, timeout=None):
        name = key or ("spare" if server == "spare" else "owner")
        more = {name: value for name, value in (("retries", retries), ("timeout", timeout)) if value is not None}
        make = atoll.AsyncAtoll if self.asynchronous else atoll.Atoll
        made = make(os.environ[URLS[server]], json.loads(os.environ["ATOLL_KEYS"])[name], **more)
        self.clients.append(made)
        return made

    async def call(self, name, on, objects, arguments):
        """(value, object for `on`)"""
        if on not in objects:
            raise KeyError(f"nothing is saved as {on}")
        thing = objects[on]
        kinds = [type(thing).__name__.replace("Async", "").lower(), ""]
        for kind in kinds:
            method = getattr(self, f"{kind}_{name}" if kind else f"step_{name}", None)
            if method is not None:
                return await method(thing, **arguments)
        raise NotImplementedError(f"no step {name} on {kinds[0]}")

    async def clean_up(self):
        for thing in self.open:
            await got(thing.aclose() if hasattr(thing, "aclose") else thing.close())
        if self.scenario.get("server") == "faulty":
            self.control("faults", {"rules": []})
        for box in self.made:
            try:
                await got(box.end())
            except atoll.SandboxError:
                pass
        for client in self.clients:
            await got(client.aclose() if self.asynchronous else client.close())

    # ---- harness ----

    def control(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{os.environ['ATOLL_CONTROL']}/{path}", data,
                                         {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    async def step_assert(self, _, value):
        return value, None

    async def step_faults(self, _, rules):
        return self.control("faults", {"rules": rules}), None

    async def step_server(self, _, do):
        return self.control("server", {"do": do}), None

    async def step_requests(self, _, method=None, path=""):
        import re

        seen = self.control("requests")["requests"]
        return {"requests": [r for r in seen if method in (None, r["method"]) and re.search(path, r["path"])]}, None

    async def step_client(self, _, key=None, retries=None, timeout=None, server=None):
        return {}, self.client(key, server or self.scenario.get("server", "main"), retries, timeout)

    # ---- client ----

    async def atoll_health(self, client):
        return await got(client.health()), None

    async def atoll_ready(self, client):
        return shown(await got(client.ready())), None

    async def atoll_backends(self, client):
        return shown(await got(client.backends())), None

    async def atoll_runtimes(self, client):
        return {"runtimes": [shown(item) for item in await got(client.runtimes())]}, None

    async def atoll_check_policy(self, client, **arguments):
        return shown(await got(client.check_policy(**arguments))), None

    async def atoll_create(self, client, **arguments):
        box = await got(client.create(**arguments))
        self.made.append(box)
        return shown(box.info), box

    async def atoll_connect(self, client, id):
        box = await got(client.connect(id))
        return shown(box.info), box

    async def atoll_list(self, client, **arguments):
        return {"sessions": [shown(item) for item in await all_of(client.list(**arguments))]}, None

    async def atoll_end_by_key(self, client, session_key):
        return await got(client.end_by_key(session_key)) or {}, None

    async def atoll_run_once(self, client, **arguments):
        return shown(await got(client.run(**arguments))), None

    async def atoll_map(self, client, codes, parallel=16):
        async def asynchronous(box, code):
            return await box.run(code)

        def synchronous(box, code):
            return box.run(code)

        work = asynchronous if self.asynchronous else synchronous
        return {"results": [shown(item) for item in await got(client.map(work, codes, parallel=parallel))]}, None

    async def atoll_create_template(self, client, body):
        return shown(await got(client.templates.create(body))), None

    async def atoll_get_template(self, client, id):
        return shown(await got(client.templates.get(id))), None

    async def atoll_list_templates(self, client):
        return {"templates": [shown(item) for item in await got(client.templates.list())]}, None

    async def atoll_replace_template(self, client, id, body):
        return shown(await got(client.templates.replace(id, body))), None

    async def atoll_delete_template(self, client, id):
        return await got(client.templates.delete(id)) or {}, None

    async def atoll_snapshots(self, client):
        return {"snapshots": [shown(item) for item in await got(client.snapshots.list())]}, None

    async def atoll_get_snapshot(self, client, id):
        return shown(await got(client.snapshots.get(id))), None

    async def atoll_delete_snapshot(self, client, id):
        return await got(client.snapshots.delete(id)) or {}, None

    async def atoll_put_secret(self, client, name, value):
        return shown(await got(client.secrets.put(name, value))), None

    async def atoll_get_secret(self, client, name):
        return shown(await got(client.secrets.get(name))), None

    async def atoll_list_secrets(self, client):
        return {"secrets": [shown(item) for item in await got(client.secrets.list())]}, None

    async def atoll_delete_secret(self, client, name):
        return await got(client.secrets.delete(name)) or {}, None

    async def atoll_create_key(self, client, **arguments):
        return shown(await got(client.keys.create(**arguments))), None

    async def atoll_list_keys(self, client):
        return {"keys": [shown(item) for item in await got(client.keys.list())]}, None

    async def atoll_revoke_key(self, client, id):
        return await got(client.keys.revoke(id)) or {}, None

    async def atoll_audit(self, client, **arguments):
        return {"audit": [shown(item) for item in await all_of(client.audit(**arguments))]}, None

    async def atoll_events(self, client):
        return await self.opened(client.events())

    # ---- sandbox ----

    async def sandbox_get(self, box):
        return shown(await got(box.refresh())), box

    async def sandbox_end(self, box):
        return await got(box.end()) or {}, None

    async def sandbox_pause(self, box):
        return shown(await got(box.pause())), None

    async def sandbox_resume(self, box):
        return shown(await got(box.resume())), None

    async def sandbox_renew(self, box, **arguments):
        return shown(await got(box.renew(**arguments))), None

    async def sandbox_change(self, box, **arguments):
        return shown(await got(box.change(**arguments))), None

    async def sandbox_status(self, box):
        return shown(await got(box.activity())), None

    async def sandbox_usage(self, box):
        return shown(await got(box.usage())), None

    async def sandbox_processes(self, box):
        return {"processes": [shown(item) for item in await got(box.processes())]}, None

    async def sandbox_results(self, box):
        return {"results": [shown(item) for item in await all_of(box.results())]}, None

    @staticmethod
    def stdin_of(arguments):
        if "stdin_b64" in arguments:
            arguments["stdin"] = base64.b64decode(arguments.pop("stdin_b64"))
        return arguments

    async def sandbox_run(self, box, **arguments):
        return shown(await got(box.run(**self.stdin_of(arguments)))), None

    async def sandbox_run_text(self, box, **arguments):
        return {"text": await got(box.run_text(**arguments))}, None

    async def sandbox_start(self, box, **arguments):
        job = await got(box.start(**self.stdin_of(arguments)))
        return shown(job.execution), job

    async def sandbox_stream(self, box, leave_on=None, **arguments):
        return await self.read_stream(box.stream(**self.stdin_of(arguments)), leave_on), None

    async def read_stream(self, stream, leave_on):
        events, left = [], False
        texts = {"stdout": [], "stderr": []}
        self.open.append(stream)
        while not left:
            try:
                event = await got(stream.__anext__() if self.asynchronous else stream.__next__())
            except (StopAsyncIteration, StopIteration):
                break
            events.append({**event.data, "type": event.type})
            if event.type in texts:
                texts[event.type].append(event.text)
                left = leave_on is not None and event.type == "stdout" and leave_on in "".join(texts["stdout"])
        await got(stream.aclose() if self.asynchronous else stream.close())
        execution = {"execution_id": stream.execution_id} if left else shown(stream.execution)
        results = [event for event in events if event["type"] == "result"]
        return {"events": events, "stdout": "".join(texts["stdout"]), "stderr": "".join(texts["stderr"]),
                "results": results, "execution": execution, "left": left}

    async def sandbox_open_context(self, box, **arguments):
        context = await got(box.open_context(**arguments))
        return shown(context.info), context

    async def sandbox_contexts(self, box):
        return {"contexts": [shown(item) for item in await got(box.contexts())]}, None

    async def sandbox_network(self, box):
        return shown(await got(box.network())), None

    async def sandbox_set_network(self, box, policy):
        return shown(await got(box.set_network(policy))), None

    async def sandbox_snapshot(self, box, **arguments):
        return shown(await got(box.snapshot(**arguments))), None

    # ---- jobs and contexts ----

    async def job_get(self, job):
        return shown(await got(job.refresh())), None

    async def job_wait(self, job, **arguments):
        return shown(await got(job.wait(**arguments))), None

    async def job_cancel(self, job):
        return await got(job.cancel()) or {}, None

    async def job_signal(self, job, signal):
        return await got(job.signal(signal)) or {}, None

    async def job_stdin(self, job, text=None, b64=None, close=False):
        data = base64.b64decode(b64) if b64 is not None else text or ""
        return await got(job.write(data, close=close)) or {}, None

    async def job_follow(self, job, leave_on=None):
        return await self.read_stream(job.follow(), leave_on), None

    async def context_run(self, context, display=False, **arguments):
        execution = await got(context.run(**arguments))
        value = dict(shown(execution))
        if display:
            value |= {"html": execution.html, "text": execution.text, "png_bytes": len(execution.png or b""),
                      "chart": execution.chart}
        return value, None

    async def context_close(self, context):
        return await got(context.close()) or {}, None

    # ---- files ----

    def local(self, content):
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(content)
        return pathlib.Path(file.name)

    async def sandbox_write(self, box, path, text=None, b64=None, size=None, mode=None, **how):
        content = text.encode() if text is not None else base64.b64decode(b64) if b64 is not None else pattern(size)
        source = how.get("from", "bytes")
        if source == "path":
            return shown(await got(box.files.write(path, self.local(content), mode=mode))), None
        if source == "file":
            with open(self.local(content), "rb") as file:
                return shown(await got(box.files.write(path, file, mode=mode))), None
        return shown(await got(box.files.write(path, content, mode=mode))), None

    async def sandbox_read(self, box, path, first=None, last=None, to="bytes"):
        if to == "bytes":
            content = await got(box.files.read(path, first=first, last=last))
        elif to == "stream":
            content = b"".join(await all_of(box.files.stream(path, first=first, last=last)))
        else:
            target = pathlib.Path(self.folder, "downloaded")
            await got(box.files.download(path, target))
            content = target.read_bytes()
        try:
            text = content.decode() if len(content) <= 1 << 20 else None
        except UnicodeDecodeError:
            text = None
        return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "text": text}, None

    async def sandbox_list_files(self, box, **arguments):
        return {"files": [shown(item) for item in await all_of(box.files.list(**arguments))]}, None

    async def sandbox_remove(self, box, path, **arguments):
        return await got(box.files.remove(path, **arguments)) or {}, None

    async def sandbox_mkdir(self, box, path, **arguments):
        return shown(await got(box.files.mkdir(path, **arguments))), None

    async def sandbox_move(self, box, to, overwrite=False, **ends):
        return shown(await got(box.files.move(ends["from"], to, overwrite=overwrite))), None

    async def sandbox_chmod(self, box, path, mode):
        return shown(await got(box.files.chmod(path, mode))), None

    async def sandbox_replace(self, box, path, old, new):
        return {"count": await got(box.files.replace(path, old, new))}, None

    async def sandbox_diagnostics(self, box):
        return shown(await got(box.diagnostics())), None

    async def sandbox_links(self, box, path, links):
        return shown(await got(box.files.make_links(path, {link["name"]: link["target"] for link in links}))), None

    async def sandbox_upload_folder(self, box, to, files=None, count=0, progress=False):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in (files or {f"f{n:05}.txt": str(n) for n in range(count)}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        told = []
        sent = await got(box.files.upload(root, to, progress=(lambda done, _: told.append(done)) if progress else None))
        return {"files": sent, **({"reported": told[-1]} if progress else {})}, None

    async def sandbox_download_folder(self, box, path, count=False):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        await got(box.files.download(path, root))
        found = [item for item in root.rglob("*") if item.is_file()]
        if count:
            return {"count": len(found)}, None
        return {"files": {item.relative_to(root).as_posix(): item.read_text(encoding="utf-8") for item in found}}, None

    async def opened(self, thing):
        await got(thing.open())
        self.open.append(thing)
        return {}, thing

    async def sandbox_watch(self, box, **arguments):
        return await self.opened(box.files.watch(**arguments))

    async def livestream_next_event(self, stream, match):
        event = await got(stream.next_event(60, **match))
        return {**event.data, "type": event.type}, None

    async def livestream_close(self, stream):
        return await got(stream.aclose() if self.asynchronous else stream.close()) or {}, None

    # ---- terminal and ports ----

    async def sandbox_terminal(self, box, **arguments):
        return await self.opened(box.terminal(**arguments))

    async def terminal_send(self, terminal, text):
        return await got(terminal.send(text)) or {}, None

    async def terminal_resize(self, terminal, rows, cols):
        return await got(terminal.resize(rows, cols)) or {}, None

    async def terminal_read_until(self, terminal, text):
        return {"text": await got(terminal.read_until(text))}, None

    async def terminal_wait_exit(self, terminal):
        return {"exit_code": await got(terminal.wait(60))}, None

    async def terminal_close(self, terminal):
        return await got(terminal.close()) or {}, None

    async def sandbox_http(self, box, port, method="GET", path="/", body=None, headers=None):
        content = body.encode() if body is not None else None
        answer = await got(box.port(port).request(method, path, content, headers=headers))
        return {"status": answer.status_code, "body": answer.text}, None

    async def sandbox_port_url(self, box, port):
        return {"url": box.port(port).url}, None

    async def sandbox_preview(self, box, port, **arguments):
        return shown(await got(box.port(port).preview(**arguments))), None
