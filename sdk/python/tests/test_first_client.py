"""The interface of the first client, as its example uses it, and the tools for models."""
import json
import os

import pytest

import atoll
from atoll.adapters.tools import Toolbox


def test_the_first_example(capsys):
    client = atoll.SandboxClient(os.environ["ATOLL_URL"], os.environ["ATOLL_API_KEY"])
    session = client.create_session(template_id="python-default")
    result = client.execute_python(session.id, code="print('Hello from sandbox!')")
    print(result.output)
    client.upload_file(session.id, "data/ü.bin", b"\x00\xff")
    assert client.download_file(session.id, "data/ü.bin") == b"\x00\xff"
    assert client.execute_command(session.id, "wc -c < data/ü.bin", timeout=30).stdout == "2\n"
    client.close()
    assert capsys.readouterr().out == "Hello from sandbox!\n\n"


def test_a_config_flat_or_nested():
    with atoll.SandboxClient(os.environ["ATOLL_URL"], os.environ["ATOLL_API_KEY"]) as client:
        for config in ({"timeout_seconds": 77}, {"config": {"timeout_seconds": 77}}):
            assert client.create_session("python-default", config).config["timeout_seconds"] == 77


def test_async_with(run):
    async def main():
        async with atoll.SandboxClient(os.environ["ATOLL_URL"], os.environ["ATOLL_API_KEY"]) as client:
            session = await client.create_session("python-default")
            assert (await client.execute_python(session.id, "print(1)")).stdout == "1\n"
            assert (await client.execute_command(session.id, "exit 3")).exit_code == 3
        async with atoll.AsyncSandboxClient(os.environ["ATOLL_URL"], os.environ["ATOLL_API_KEY"]) as client:
            await client.upload_file(session.id, "f", b"x")
            assert await client.download_file(session.id, "f") == b"x"

    run(main())


def test_tools_in_the_words_of_both(box):
    tools = Toolbox(box)
    for definition in tools.openai():
        assert definition["type"] == "function"
        assert set(definition["function"]) == {"name", "description", "parameters"}
    assert [definition["name"] for definition in tools.openai(responses=True)] == list(tools.tools)
    assert [definition["input_schema"]["type"] for definition in tools.anthropic()] == ["object"] * 5
    message = {"role": "assistant", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "write_file", "arguments": '{"path": "f", "content": "ü"}'}},
        {"id": "2", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "f"}'}}]}
    answers = tools.answer_openai(message)
    assert [(answer["tool_call_id"], answer["content"]) for answer in answers] == [("1", "wrote 2 bytes"), ("2", "ü")]
    message = {"content": [{"type": "text", "text": "let me see"},
                           {"type": "tool_use", "id": "3", "name": "run_command", "input": {"command": "echo $((6 * 7))"}},
                           {"type": "tool_use", "id": "4", "name": "no_such", "input": {}}]}
    first, second = tools.answer_anthropic(message)
    assert first == {"type": "tool_result", "tool_use_id": "3", "content": "42\n"}
    assert second["is_error"]
    json.dumps([tools.openai(), tools.anthropic(), answers])


@pytest.mark.parametrize(("name", "arguments"), [
    ("run_code", "no json"), ("run_code", "[1]"), ("run_code", {}), ("run_code", {"code": 1}), ("nothing", {}),
    ("run_code", {"code": "1", "more": "x"}), ("read_file", {"path": "../../etc/passwd"}), ("read_file", {"path": "none"}),
    ("run_command", {"command": "rm -rf /"}),
])
def test_what_a_model_does_wrong_is_told_to_it(box, name, arguments):
    assert Toolbox(box).call(name, arguments).startswith("Error: ")


def test_text_that_is_none_and_text_that_is_long(box):
    tools = Toolbox(box)
    box.files.write("bin", b"\xff\xfe")
    assert tools.call("read_file", {"path": "bin"}) == "Error: this is no text"
    box.files.write("long", "x" * 20000)
    assert len(tools.call("read_file", {"path": "long"})) < 11000
    assert tools.call("list_files", {}) == "bin\nlong"


def test_results_show_themselves(box):
    with box.open_context("python") as python:
        table = python.run("import pandas as pd; pd.DataFrame({'<a>': [1]})")
        picture = python.run("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert "<table" in table._repr_html_()
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert picture.results[0]._repr_mimebundle_()["image/png"]
    assert "data:image/png;base64," in picture._repr_html_()
    assert "&lt;b&gt;" in box.run("print('<b>')")._repr_html_()
    failed = box.run("import sys; sys.exit('why')")
    assert "exit code 1" in failed._repr_html_()
    assert "why" in failed._repr_html_()
