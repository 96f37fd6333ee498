"""An agent of the OpenAI Agents SDK with a scripted model."""
import json

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from atoll import Sandbox
from atoll.adapters.openai_agents import openai_agents_tools


class Scripted(Model):
    def __init__(self, *calls):
        self.calls, self.tools, self.seen = list(calls), [], []

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
        self.tools, self.seen = tools, input
        if self.calls:
            name, arguments = self.calls.pop(0)
            output = ResponseFunctionToolCall(type="function_call", call_id=f"call-{len(self.calls)}", name=name,
                                              arguments=json.dumps(arguments))
        else:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def test_an_agent_uses_the_tools():
    model = Scripted(("write_file", {"path": "f", "content": "6 * 7"}),
                     ("run_code", {"code": "print(eval(open('f').read()))"}),
                     ("read_file", {"path": "none"}), ("list_files", {}))
    with Sandbox.create() as box:
        agent = Agent(name="a", model=model, tools=openai_agents_tools(box))
        result = Runner.run_sync(agent, "go", run_config=RunConfig(tracing_disabled=True))
    assert result.final_output == "done"
    answers = [item["output"] for item in model.seen if item.get("type") == "function_call_output"]
    assert answers[:2] == ["wrote 5 bytes", "42\n"]
    assert answers[2].startswith("Error: not_found")
    assert answers[3] == "f"
    assert [tool.name for tool in model.tools] == ["run_code", "run_command", "write_file", "read_file", "list_files"]
    assert model.tools[0].params_json_schema["required"] == ["code"]
