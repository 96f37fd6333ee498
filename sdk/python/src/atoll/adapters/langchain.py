"""Tools of LangChain (`langchain-core`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List

from langchain_core.tools import BaseTool, StructuredTool

from .tools import Tool, Toolbox

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox


def langchain_tools(box: Sandbox, **options: Any) -> List[BaseTool]:
    """For `model.bind_tools(…)` and agents. Options are those of Toolbox."""
    toolbox = Toolbox(box, **options)
    return [
        StructuredTool.from_function(
            func=_caller(toolbox, tool), name=tool.name, description=tool.description, args_schema=dict(tool.parameters)
        )
        for tool in toolbox.tools.values()
    ]


def _caller(toolbox: Toolbox, tool: Tool) -> Callable[..., str]:
    def call(**arguments: Any) -> str:
        return toolbox.call(tool.name, arguments)

    return call
