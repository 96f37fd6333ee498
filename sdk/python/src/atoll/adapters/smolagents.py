"""The executor of smolagents (`smolagents`): the code of a CodeAgent runs in a sandbox.

    agent = CodeAgent(tools=[…], model=model, executor=SandboxExecutor())

Variables and tools live in a context of the sandbox, from one step of the agent to the next.
"""

from __future__ import annotations

import ast
import io
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

import PIL.Image
from smolagents.local_python_executor import CodeOutput
from smolagents.monitoring import AgentLogger, LogLevel
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.utils import AgentError

from .._errors import SandboxError
from .._sync.sandbox import Sandbox

if TYPE_CHECKING:
    from .._results import Execution

LIFETIME = 3600
ANSWER = "import sys\nprint(sys.last_value.value, end='')"
FIND = """
import importlib.metadata, importlib.util

def absent(name):
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return importlib.util.find_spec(name.split(".")[0]) is None

[name for name in {names!r} if absent(name)]
"""


class SandboxExecutor(RemotePythonExecutor):
    """Runs code in `box`, or in a sandbox of its own that `cleanup` ends. Further arguments are those of
    `Sandbox.create`. `timeout` is that of one step, in seconds."""

    def __init__(
        self,
        additional_imports: Sequence[str] = (),
        logger: Optional[AgentLogger] = None,
        *,
        box: Optional[Sandbox] = None,
        timeout: float = 300.0,
        lifetime: int = LIFETIME,
        **create: Any,
    ) -> None:
        # What a sandbox answers is never unpickled: its code may be anybody's.
        super().__init__(list(additional_imports), logger or AgentLogger(level=LogLevel.ERROR), allow_pickle=False)
        self.timeout = timeout
        self._owned = box is None
        self.box = box if box is not None else Sandbox.create(timeout=lifetime, **create)
        try:
            self._context = self.box.open_context("python")
            if missing := self._missing(self.additional_imports):
                raise SandboxError(
                    f"the template has no {', '.join(missing)}; name them in preinstalled_packages of a template",
                    code="package_missing",
                )
        except BaseException:
            self.cleanup()
            raise

    def run_code_raise_errors(self, code: str) -> CodeOutput:
        """One step. What is wrong with it is an AgentError, for the model to read."""
        try:
            done = self._context.run(code, timeout=self.timeout)
        except SandboxError as failure:
            raise AgentError(f"The sandbox failed: {failure}", self.logger) from failure
        error = done.error
        if error is not None and error.ename == self.FINAL_ANSWER_EXCEPTION:
            return CodeOutput(output=self._final_answer(), logs=done.output, is_final_answer=True)
        if not done.success:
            why = f"{error.ename or error.code}: {error.evalue or error.message}" if error else str(done.state)
            trace = (error.traceback or "") if error else ""
            raise AgentError(f"{done.output}\nExecuting code yielded an error:\n{why}\n{trace}", self.logger)
        return CodeOutput(output=_shown(done), logs=done.output, is_final_answer=False)

    def _final_answer(self) -> Any:
        """The whole of it: an error tells no more than some kilobytes."""
        told = self._context.run(ANSWER, timeout=self.timeout)
        if not told.success or told.truncated:
            raise AgentError("The final answer is too large to leave the sandbox", self.logger)
        return self._deserialize_final_answer(told.stdout, self.allow_pickle)

    def install_packages(self, additional_imports: List[str]) -> List[str]:
        """What tools import. Sandboxes have no package index: what is missing is logged, and an ImportError where it is
        really needed."""
        if missing := self._missing(additional_imports):
            self.logger.log(f"the template has no {', '.join(missing)}", level=LogLevel.INFO)
        return additional_imports

    def _missing(self, names: Sequence[str]) -> List[str]:
        wanted = [name for name in names if name != "*"]
        if not wanted:
            return []
        return list(ast.literal_eval(self._context.run(FIND.format(names=wanted), check=True).text or "[]"))

    def cleanup(self) -> None:
        """Ends the sandbox that was made for this executor."""
        if self._owned:
            try:
                self.box.end()
            except SandboxError as error:
                self.logger.log(f"the sandbox was not ended: {error}", level=LogLevel.ERROR)
            self._owned = False


def _shown(done: Execution) -> Any:
    """The value of the last expression: a picture as one, everything else as text."""
    for result in done.results:
        if result.is_result:
            picture = result.png or result.jpeg
            if picture is not None:
                return PIL.Image.open(io.BytesIO(picture))
            return result.text
    return None
