"""Tools of the OpenAI Agents SDK (`openai-agents`)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Awaitable, Callable, List

from agents import FunctionTool

from .tools import Tool, Toolbox

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox


def openai_agents_tools(box: Sandbox, **options: Any) -> List[FunctionTool]:
    """For `Agent(tools=…)`. Options are those of Toolbox."""
    toolbox = Toolbox(box, **options)
    return [
        FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=dict(tool.parameters),
            on_invoke_tool=_caller(toolbox, tool),
            strict_json_schema=False,  # strict schemas have no arguments that may be absent
        )
        for tool in toolbox.tools.values()
    ]


def _caller(toolbox: Toolbox, tool: Tool) -> Callable[[Any, str], Awaitable[str]]:
    async def call(context: Any, arguments: str) -> str:
        return await asyncio.to_thread(toolbox.call, tool.name, arguments)

    return call
