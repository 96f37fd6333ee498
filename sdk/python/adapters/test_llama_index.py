"""Tools of LlamaIndex, called as its agents call them."""
import asyncio

from llama_index.core.tools import ToolSelection, acall_tool_with_selection, call_tool_with_selection

from atoll import Sandbox
from atoll.adapters.llama_index import llama_index_tools

CALLS = [("write_file", {"path": "f", "content": "6 * 7"}), ("run_code", {"code": "print(eval(open('f').read()))"}),
         ("read_file", {"path": "none"}), ("list_files", {})]


def test_tools_answer_calls_of_a_model():
    with Sandbox.create() as box:
        tools = llama_index_tools(box)
        told = tools[2].metadata.to_openai_tool()["function"]
        assert told["name"] == "write_file"
        assert (set(told["parameters"]["properties"]), told["parameters"]["required"]) == ({"path", "content"}, ["path", "content"])
        answers = [call_tool_with_selection(ToolSelection(tool_id="1", tool_name=name, tool_kwargs=arguments), tools).content
                   for name, arguments in CALLS]
        assert answers[:2] == ["wrote 5 bytes", "42\n"]
        assert answers[2].startswith("Error: not_found")
        assert answers[3] == "f"

        async def awaited():
            chosen = ToolSelection(tool_id="1", tool_name="run_command", tool_kwargs={"command": "cat f"})
            return (await acall_tool_with_selection(chosen, tools)).content

        assert asyncio.run(awaited()) == "6 * 7"
