"""An agent of CrewAI with a scripted model."""
import json
import os

import pytest

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from crewai import Agent, BaseLLM  # noqa: E402

from atoll import Sandbox  # noqa: E402
from atoll.adapters.crewai import crewai_tools  # noqa: E402


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """It writes into the working folder and the home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


CALLS = [("write_file", {"path": "f", "content": "6 * 7"}), ("run_code", {"code": "print(eval(open('f').read()))"}),
         ("read_file", {"path": "none"}), ("list_files", {})]


class Scripted(BaseLLM):
    steps: list = []
    seen: list = []

    def call(self, messages, *_, **__):
        self.seen[:] = [str(message["content"]) for message in messages]
        if not self.steps:
            return "Thought: I know\nFinal Answer: done"
        name, arguments = self.steps.pop(0)
        return f"Thought: next\nAction: {name}\nAction Input: {json.dumps(arguments)}"

    def supports_function_calling(self):
        return False


def test_an_agent_uses_the_tools():
    model = Scripted(model="scripted", steps=list(CALLS))
    with Sandbox.create() as box:
        agent = Agent(role="r", goal="g", backstory="b", llm=model, tools=crewai_tools(box), verbose=False)
        result = agent.kickoff("go")
    assert result.raw == "done"
    seen = "\n".join(model.seen)
    for answer in ("Observation: wrote 5 bytes", "Observation: 42", "Observation: Error: not_found", "Observation: f"):
        assert answer in seen
