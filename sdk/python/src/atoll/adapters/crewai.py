"""Tools of CrewAI (`crewai`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

from crewai.tools import BaseTool
from pydantic import PrivateAttr

from ._schema import arguments_model, given
from .tools import Tool, Toolbox

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox


class SandboxTool(BaseTool):
    """One tool of a Toolbox."""

    _toolbox: Toolbox = PrivateAttr()

    def __init__(self, toolbox: Toolbox, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description, args_schema=arguments_model(tool))
        self._toolbox = toolbox

    def _run(self, **arguments: Any) -> str:
        return self._toolbox.call(self.name, given(arguments))


def crewai_tools(box: Sandbox, **options: Any) -> List[BaseTool]:
    """For `Agent(tools=…)`. Options are those of Toolbox."""
    toolbox = Toolbox(box, **options)
    return [SandboxTool(toolbox, tool) for tool in toolbox.tools.values()]
