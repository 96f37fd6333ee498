"""A CodeAgent of smolagents whose code runs in a sandbox; its model is a script."""
import socket

import pytest
from smolagents import CodeAgent, tool
from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.utils import AgentError

import atoll
from atoll.adapters.smolagents import SandboxExecutor


class Scripted(Model):
    def __init__(self, *steps):
        super().__init__(model_id="scripted")
        self.steps, self.seen = list(steps), []

    def generate(self, messages, **_):
        self.seen.append(messages)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: next\n<code>\n{self.steps.pop(0)}\n</code>")


@tool
def double(number: int) -> int:
    """Doubles a number.

    Args:
        number: What is doubled.
    """
    return 2 * number


def said(messages):
    return "".join(str(message.content) for message in messages)


def test_an_agents_code_runs_inside():
    model = Scripted("import socket\nhost = socket.gethostname()\nprint('printed', double(21))", "undefined_name",
                     "final_answer({'host': host, 'long': 'x' * 20000, 'given': given})")
    with CodeAgent(tools=[double], model=model, executor=SandboxExecutor(), verbosity_level=0) as agent:
        answer = agent.run("Tell the host.", additional_args={"given": [1, 2]})
        box = agent.python_executor.box
    assert answer["host"] != socket.gethostname()
    assert (answer["long"], answer["given"]) == ("x" * 20000, [1, 2])
    assert "printed 42" in said(model.seen[1])
    assert "NameError" in said(model.seen[2])
    with atoll.Atoll() as client:
        assert client.connect(box.id).status == "terminated"


def test_values_pictures_and_errors():
    with atoll.Sandbox.create() as box:
        executor = SandboxExecutor(box=box)
        assert executor("6 * 7").output == "42"
        assert executor("print(1)").logs == "1\n"
        drawn = executor("import matplotlib.pyplot as plt\nfrom PIL import Image\nImage.new('RGB', (3, 4))").output
        assert drawn is not None and drawn.size == (3, 4)
        with pytest.raises(AgentError, match="ZeroDivisionError"):
            executor("1 / 0")
        executor.cleanup()
        assert box.run("print(1)").stdout == "1\n"  # it was not the executor's to end


def test_packages_that_the_template_lacks():
    with pytest.raises(atoll.SandboxError) as caught:
        SandboxExecutor(["json", "no_such_package"])
    assert caught.value.code == "package_missing"
