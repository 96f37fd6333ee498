"""A Jupyter kernel whose code runs in a sandbox.

    python -m atoll.adapters.jupyter_kernel install [--user | --prefix DIR] [--language python|javascript|bash]

ATOLL_URL and ATOLL_API_KEY name the server; without ATOLL_URL the kernel starts one for itself. ATOLL_TEMPLATE names
the template. The sandbox ends with the kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
from typing import Any, Dict, Optional

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel
from jupyter_client.kernelspec import KernelSpecManager

from .._errors import SandboxError
from .._sync.sandbox import Sandbox
from .._version import VERSION

LIFETIME = 3600
FILES = {"python": ("text/x-python", ".py"), "javascript": ("text/javascript", ".js"), "bash": ("text/x-sh", ".sh")}


class AtollKernel(Kernel):
    """One sandbox, one context in it."""

    implementation = "atoll"
    implementation_version = VERSION
    language = os.environ.get("ATOLL_LANGUAGE", "python")
    banner = "Atoll: the code of this notebook runs in a sandbox"

    def __init__(self, **options: Any) -> None:
        mimetype, extension = FILES.get(self.language, ("text/plain", ".txt"))
        self.language_info = {"name": self.language, "mimetype": mimetype, "file_extension": extension}
        super().__init__(**options)
        self._box: Optional[Sandbox] = None
        self._context: Any = None

    def _ready(self) -> Any:
        """The context, in a sandbox that is made for the first cell, and again when it has ended."""
        if self._context is None:
            template = os.environ.get("ATOLL_TEMPLATE")
            make = Sandbox.create if os.environ.get("ATOLL_URL") else Sandbox.local
            self._box = make(template, timeout=LIFETIME)
            self._context = self._box.open_context(self.language)
        elif self._box is not None:
            self._box.renew(LIFETIME)
        return self._context

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Optional[Dict[str, Any]] = None,
        allow_stdin: bool = False,
        **more: Any,
    ) -> Dict[str, Any]:
        count = {"execution_count": self.execution_count}
        try:
            context = self._ready()
            with context.stream(code, timeout=0) as events:
                try:
                    for event in events:
                        if not silent:
                            self._show(event)
                except KeyboardInterrupt:
                    if events.execution_id and self._box:
                        self._box.job(events.execution_id).cancel()
                    raise
            error = events.execution.error if events.execution else None
        except KeyboardInterrupt:
            return self._failed("KeyboardInterrupt", "", [], count)
        except SandboxError as failure:
            self._forget()
            return self._failed(type(failure).__name__, str(failure), [str(failure)], count)
        if error is not None:
            trace = (error.traceback or error.message or "").split("\n")
            return self._failed(error.ename or error.code or "Error", error.evalue or error.message or "", trace, count)
        return {"status": "ok", "payload": [], "user_expressions": {}, **count}

    def _show(self, event: Any) -> None:
        if event.type in ("stdout", "stderr"):
            self._send("stream", {"name": event.type, "text": event.text})
        elif event.type == "result":
            content: Dict[str, Any] = {"data": dict(event.data["data"]), "metadata": {}}
            if event.data["is_result"]:
                self._send("execute_result", {**content, "execution_count": self.execution_count})
            else:
                self._send("display_data", content)

    def _failed(self, name: str, value: str, trace: Any, count: Dict[str, Any]) -> Dict[str, Any]:
        content = {"ename": name, "evalue": value, "traceback": trace or [name]}
        self._send("error", content)
        return {"status": "error", **content, **count}

    def _send(self, kind: str, content: Dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)

    def _forget(self) -> None:
        """The next cell gets a new sandbox when this one is gone."""
        try:
            if self._box is not None and str(self._box.refresh().status) in ("ready", "running", "paused"):
                return
        except SandboxError:
            pass
        self._box = self._context = None

    async def do_shutdown(self, restart: bool) -> Dict[str, Any]:
        box, self._box, self._context = self._box, None, None
        if box is not None:
            try:
                box.end()
            except SandboxError as failure:
                self.log.warning("the sandbox was not ended: %s", failure)
        return {"status": "ok", "restart": restart}


def install(options: argparse.Namespace) -> None:
    """Tells Jupyter of it."""
    spec = {
        "argv": [sys.executable, "-m", "atoll.adapters.jupyter_kernel", "-f", "{connection_file}"],
        "display_name": f"Atoll ({options.language})",
        "language": options.language,
        "interrupt_mode": "signal",
        "env": {"ATOLL_LANGUAGE": options.language},
    }
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
        name = "atoll" if options.language == "python" else f"atoll-{options.language}"
        place = KernelSpecManager().install_kernel_spec(folder, name, user=options.user, prefix=options.prefix)
    print(f"installed: {place}")


def main() -> None:
    if sys.argv[1:2] == ["install"]:
        parser = argparse.ArgumentParser(prog="atoll-kernel")
        parser.add_argument("install")
        parser.add_argument("--user", action="store_true")
        parser.add_argument("--prefix")
        parser.add_argument("--language", default="python", choices=list(FILES))
        install(parser.parse_args())
    else:
        IPKernelApp.launch_instance(kernel_class=AtollKernel)


if __name__ == "__main__":
    main()
