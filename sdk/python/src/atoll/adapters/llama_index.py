"""Tools of LlamaIndex (`llama-index-core`)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, List

from llama_index.core.tools import FunctionTool

from ._schema import arguments_model, given
from .tools import Tool, Toolbox

if TYPE_CHECKING:
    from .._sync.sandbox import Sandbox


def llama_index_tools(box: Sandbox, **options: Any) -> List[FunctionTool]:
    """For `FunctionAgent(tools=…)` and other agents. Options are those of Toolbox."""
    toolbox = Toolbox(box, **options)
    return [_made(toolbox, tool) for tool in toolbox.tools.values()]


def _made(toolbox: Toolbox, tool: Tool) -> FunctionTool:
    def call(**arguments: Any) -> str:
        return toolbox.call(tool.name, given(arguments))

    async def call_async(**arguments: Any) -> str:
        return await asyncio.to_thread(call, **arguments)

    return FunctionTool.from_defaults(
        fn=call, async_fn=call_async, name=tool.name, description=tool.description, fn_schema=arguments_model(tool)
    )
