"""Tools for a model: their definitions, in the words of OpenAI and of Anthropic, and what a call of one does.

Needs no framework. The other adapters are made of this.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence

from .._errors import SandboxError

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox

MAX_TEXT = 10_000


@dataclass(frozen=True)
class Tool:
    """One thing that a model may do in a sandbox."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of an object."""
    run: Callable[..., str]


def _schema(required: Sequence[str], **properties: Mapping[str, Any]) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_PATH = {"type": "string", "description": "Relative to /workspace"}


class Toolbox:
    """run_code, run_command, write_file, read_file and list_files in one sandbox.

    A call never raises for what a model did wrong: it answers with the reason, for the model to read.
    """

    def __init__(self, box: Sandbox, *, timeout: float = 60.0, only: Optional[Sequence[str]] = None) -> None:
        self.box = box
        self.timeout = timeout
        made = [
            Tool(
                "run_code",
                "Run Python code in an isolated sandbox. Print what you want to see. Files stay, variables do not.",
                _schema(
                    ["code"],
                    code={"type": "string", "description": "The whole program"},
                    language={
                        "type": "string",
                        "enum": ["python", "javascript", "bash"],
                        "description": "Default: python",
                    },
                ),
                self._run_code,
            ),
            Tool(
                "run_command",
                "Run a shell command in an isolated sandbox, in /workspace.",
                _schema(["command"], command={"type": "string"}),
                self._run_command,
            ),
            Tool(
                "write_file",
                "Write a text file in the sandbox; folders on the way are made, a file that is there is replaced.",
                _schema(["path", "content"], path=_PATH, content={"type": "string"}),
                self._write_file,
            ),
            Tool("read_file", "Read a text file of the sandbox.", _schema(["path"], path=_PATH), self._read_file),
            Tool(
                "list_files",
                "List a folder of the sandbox.",
                _schema([], path={"type": "string", "description": "Default: /workspace"}),
                self._list_files,
            ),
        ]
        self.tools = {tool.name: tool for tool in made if only is None or tool.name in only}

    # ---- definitions ----

    def openai(self, *, responses: bool = False) -> List[Dict[str, Any]]:
        """For `tools=` of chat completions, or with `responses=True` of the Responses API."""
        found = []
        for tool in self.tools.values():
            function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            found.append({"type": "function", **function} if responses else {"type": "function", "function": function})
        return found

    def anthropic(self) -> List[Dict[str, Any]]:
        """For `tools=` of the Messages API."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in self.tools.values()
        ]

    # ---- calls ----

    def call(self, name: str, arguments: Any) -> str:
        """What the model asked for. `arguments` is an object, or its JSON."""
        tool = self.tools.get(name)
        if tool is None:
            return f"Error: there is no tool {name}; there are {', '.join(self.tools)}"
        try:
            given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments or {})
        except ValueError as error:
            return f"Error: the arguments are no JSON: {error}"
        properties = tool.parameters["properties"]
        if not isinstance(given, dict) or set(given) - set(properties) or set(tool.parameters["required"]) - set(given):
            return f"Error: {name} takes {', '.join(properties)}"
        if wrong := [field for field, value in given.items() if not isinstance(value, str)]:
            return f"Error: {', '.join(wrong)} must be text"
        try:
            return tool.run(**given)
        except SandboxError as error:
            return f"Error: {error}"
        except UnicodeDecodeError:
            return "Error: this is no text"

    def answer_openai(self, message: Any) -> List[Dict[str, Any]]:
        """The messages that answer the tool calls of an assistant's message of chat completions, object or dict."""
        calls = _get(message, "tool_calls") or []
        return [
            {
                "role": "tool",
                "tool_call_id": _get(call, "id"),
                "content": self.call(_get(_get(call, "function"), "name"), _get(_get(call, "function"), "arguments")),
            }
            for call in calls
        ]

    def answer_anthropic(self, message: Any) -> List[Dict[str, Any]]:
        """The content of the user's message that answers the `tool_use` blocks of an assistant's message."""
        answers = []
        for block in _get(message, "content") or []:
            if _get(block, "type") == "tool_use":
                text = self.call(_get(block, "name"), _get(block, "input"))
                answer = {"type": "tool_result", "tool_use_id": _get(block, "id"), "content": text}
                answers.append({**answer, "is_error": True} if text.startswith("Error: ") else answer)
        return answers

    def _run_code(self, code: str, language: str = "python") -> str:
        return self.box.run_text(code, language=language, timeout=self.timeout)

    def _run_command(self, command: str) -> str:
        return self.box.run_text(command=command, timeout=self.timeout)

    def _write_file(self, path: str, content: str) -> str:
        return f"wrote {self.box.files.write(path, content).size} bytes"

    def _read_file(self, path: str) -> str:
        text = self.box.files.read(path).decode()
        return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + f"\n… and {len(text) - MAX_TEXT} characters more"

    def _list_files(self, path: str = ".") -> str:
        found = [f"{item.name}/" if item.type == "directory" else item.name for item in self.box.files.list(path)]
        return "\n".join(found[:1000]) or "(nothing)"


def _get(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
