"""The tools of LangChain, called as an agent's loop calls them."""
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from atoll import Sandbox
from atoll.adapters.langchain import langchain_tools


def test_tools_answer_calls_of_a_model():
    with Sandbox.create() as box:
        tools = {tool.name: tool for tool in langchain_tools(box)}
        told = convert_to_openai_tool(tools["write_file"])["function"]["parameters"]
        assert set(told["properties"]) == {"path", "content"}
        message = AIMessage(content="", tool_calls=[
            {"name": "write_file", "args": {"path": "f", "content": "6 * 7"}, "id": "1"},
            {"name": "run_code", "args": {"code": "print(eval(open('f').read()))"}, "id": "2"},
            {"name": "read_file", "args": {"path": "none"}, "id": "3"}])
        answers = [tools[call["name"]].invoke({**call, "type": "tool_call"}) for call in message.tool_calls]
        assert all(isinstance(answer, ToolMessage) for answer in answers)
        assert [answer.content for answer in answers[:2]] == ["wrote 5 bytes", "42\n"]
        assert answers[2].content.startswith("Error: not_found")
        assert tools["list_files"].invoke({}) == "f"
