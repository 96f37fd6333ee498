"""The clients of OpenAI and Anthropic with a scripted model behind them: their own types go both ways."""
import contextlib
import http.server
import json
import threading

import anthropic
import openai

from atoll import Sandbox
from atoll.adapters.tools import Toolbox

CALLS = [("write_file", {"path": "f", "content": "6 * 7"}), ("run_code", {"code": "print(eval(open('f').read()))"}),
         ("read_file", {"path": "none"})]


@contextlib.contextmanager
def answering(body, asked):
    """Address of a server that answers everything with this body."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def check(answers):
    assert answers[:2] == ["wrote 5 bytes", "42\n"]
    assert answers[2].startswith("Error: not_found")


def test_chat_completions():
    calls = [{"id": str(at), "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
             for at, (name, arguments) in enumerate(CALLS)]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    asked = []
    with answering(body, asked) as url, Sandbox.create() as box:
        client = openai.OpenAI(api_key="none", base_url=url)
        toolbox = Toolbox(box)
        said = client.chat.completions.create(model="scripted", messages=[{"role": "user", "content": "go"}], tools=toolbox.openai())
        answers = toolbox.answer_openai(said.choices[0].message)
        client.chat.completions.create(model="scripted", messages=[said.choices[0].message, *answers], tools=toolbox.openai())
    check([answer["content"] for answer in answers])
    assert [message.get("tool_call_id") for message in asked[1]["messages"]] == [None, "0", "1", "2"]
    assert asked[0]["tools"][0]["function"]["parameters"]["required"] == ["code"]


def test_messages():
    blocks = [{"type": "tool_use", "id": str(at), "name": name, "input": arguments} for at, (name, arguments) in enumerate(CALLS)]
    body = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": blocks, "stop_reason": "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
    asked = []
    with answering(body, asked) as url, Sandbox.create() as box:
        client = anthropic.Anthropic(api_key="none", base_url=url)
        toolbox = Toolbox(box)
        said = client.messages.create(model="scripted", max_tokens=100, messages=[{"role": "user", "content": "go"}],
                                      tools=toolbox.anthropic())
        answers = toolbox.answer_anthropic(said)
        client.messages.create(model="scripted", max_tokens=100, tools=toolbox.anthropic(),
                               messages=[{"role": "assistant", "content": said.content}, {"role": "user", "content": answers}])
    check([answer["content"] for answer in answers])
    assert [answer.get("is_error", False) for answer in answers] == [False, False, True]
    assert asked[1]["messages"][1]["content"][0]["tool_use_id"] == "0"
    assert asked[0]["tools"][0]["input_schema"]["required"] == ["code"]
