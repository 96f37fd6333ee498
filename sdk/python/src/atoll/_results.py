"""Results of executions, which show themselves in a notebook."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from ._errors import SandboxExecutionError
from ._models import ExecutionData

CHART = "application/vnd.atoll.chart+json"


def bytes_of(text: str, b64: Optional[str]) -> bytes:
    return base64.b64decode(b64) if b64 is not None else text.encode()


@dataclass(frozen=True)
class Result:
    """One thing that code in a context showed: a value, a figure, a table. `data` is from MIME type to content."""

    data: Mapping[str, Any]
    is_result: bool = False
    """It is the value of the last expression, not something displayed on the way."""

    @property
    def text(self) -> Optional[str]:
        return self.data.get("text/plain")

    @property
    def html(self) -> Optional[str]:
        return self.data.get("text/html")

    @property
    def markdown(self) -> Optional[str]:
        return self.data.get("text/markdown")

    @property
    def latex(self) -> Optional[str]:
        return self.data.get("text/latex")

    @property
    def json(self) -> Any:
        return self.data.get("application/json")

    @property
    def svg(self) -> Optional[str]:
        return self.data.get("image/svg+xml")

    @property
    def png(self) -> Optional[bytes]:
        return self._decoded("image/png")

    @property
    def jpeg(self) -> Optional[bytes]:
        return self._decoded("image/jpeg")

    @property
    def chart(self) -> Optional[Dict[str, Any]]:
        """The data of a matplotlib figure: `type`, `title`, `elements` and so on."""
        return self.data.get(CHART)

    def _decoded(self, mime: str) -> Optional[bytes]:
        content = self.data.get(mime)
        return base64.b64decode(content) if content is not None else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, Any]:
        return dict(self.data)

    def _repr_html_(self) -> Optional[str]:
        return self.html

    def _repr_png_(self) -> Optional[bytes]:
        return self.png

    def __repr__(self) -> str:
        return self.text if self.text is not None else f"Result({', '.join(self.data)})"


@dataclass(frozen=True)
class Execution(ExecutionData):
    """How an execution ended: output, exit code, results, error and what it used."""

    @property
    def results(self) -> List[Result]:
        """What code in a context showed, in order."""
        shown = (self.raw.get("result") or {}).get("results") or []
        return [Result(part["data"], part["is_result"]) for part in shown]

    @property
    def text(self) -> Optional[str]:
        """The value of the last expression as text; None without one."""
        return next((r.text for r in reversed(self.results) if r.text is not None), None)

    @property
    def html(self) -> Optional[str]:
        return next((r.html for r in reversed(self.results) if r.html is not None), None)

    @property
    def png(self) -> Optional[bytes]:
        return next((r.png for r in reversed(self.results) if r.png is not None), None)

    @property
    def chart(self) -> Optional[Dict[str, Any]]:
        return next((r.chart for r in reversed(self.results) if r.chart is not None), None)

    @property
    def stdout_bytes(self) -> bytes:
        """The exact bytes, also where they are no UTF-8."""
        return bytes_of(self.stdout, self.stdout_b64)

    @property
    def stderr_bytes(self) -> bytes:
        return bytes_of(self.stderr, self.stderr_b64)

    def check(self) -> Execution:
        """This execution; SandboxExecutionError when it failed."""
        if not self.success:
            raise SandboxExecutionError(self)
        return self

    def _repr_html_(self) -> str:
        parts = []
        for text, colour in ((self.stdout, "inherit"), (self.stderr, "#b00020")):
            if text:
                parts.append(f'<pre style="margin:0;color:{colour}">{html.escape(text)}</pre>')
        for result in self.results:
            if result.html is not None:
                parts.append(result.html)
            elif result.png is not None:
                parts.append(f'<img src="data:image/png;base64,{html.escape(result.data["image/png"])}">')
            elif result.svg is not None:
                parts.append(result.svg)
            elif result.text is not None:
                parts.append(f'<pre style="margin:0">{html.escape(result.text)}</pre>')
        if not self.success:
            parts.append(f"<p><b>{html.escape(str(self.state))}</b>, exit code {self.exit_code}</p>")
        return "".join(parts)

    def _repr_png_(self) -> Optional[bytes]:
        return self.png

    def __repr__(self) -> str:
        text = self.text if self.text is not None else self.stdout
        return f"<Execution {self.execution_id} {self.state}, exit code {self.exit_code}: {text[:60]!r}>"
