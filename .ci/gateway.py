"""The real gateway between the official Python client of OpenAI and a provider that is scripted here.

usage: gateway.py GATEWAY
"""

import http.server
import json
import os
import queue
import subprocess
import sys
import threading

import openai

KEY = "sk-provider-0123456789abcdef"
TOKEN = "session-token-of-one-user"
SECRET_WORDS = "the words of the conversation"

answers: queue.Queue = queue.Queue()
requests = []


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        requests.append(({name.lower(): value for name, value in self.headers.items()}, json.loads(body)))
        status, headers, pieces = answers.get(timeout=10)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        pass


def event(**fields) -> bytes:
    whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "the-model", "choices": []}
    return f"data: {json.dumps(whole | fields)}\n\n".encode()


def chunk(delta: dict, finish: str | None = None) -> bytes:
    return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}])


def sse(*pieces: bytes, done: bool = True):
    end = [b"data: [DONE]\n\n"] if done else []
    return 200, {"Content-Type": "text/event-stream"}, [*pieces, *end]


def error(status: int, **headers):
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "type": "x", "code": KEY}}).encode()
    return status, {"Content-Type": "application/json", "X-Echo": KEY, **headers}, [body]


def piece_of_call(function: dict, **more) -> bytes:
    return chunk({"tool_calls": [{"index": 0, "function": function} | more]})


def talk(client: openai.OpenAI):
    tool = {"type": "function", "function": {"name": "toggle", "parameters": {"type": "object", "properties": {}}}}
    messages = [{"role": "user", "content": SECRET_WORDS}]
    with client.chat.completions.stream(model="the-most-expensive", messages=messages, tools=[tool]) as stream:
        kinds = [event.type for event in stream]
        return kinds, stream.get_final_completion()


def refused(client: openai.OpenAI, kind: type) -> openai.APIStatusError:
    try:
        talk(client)
    except kind as error:
        return error
    raise AssertionError(f"no {kind}")


def main(program: str) -> None:
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    environment = {
        "GATEWAY_ADDRESS": "127.0.0.1:0",
        "GATEWAY_UPSTREAM": f"http://127.0.0.1:{provider.server_port}/v1",
        "GATEWAY_API_KEY": KEY,
        "GATEWAY_MODEL": "the-model",
        "GATEWAY_TOKENS": TOKEN,
        "GATEWAY_PER_MINUTE": "6",
        "RUST_LOG": "trace",
    }
    process = subprocess.Popen(
        [program], env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said = process.stdout.readline()
        url = said.split()[-1]
        exchange(url)
    finally:
        process.terminate()
        said += process.stdout.read()
        process.wait(10)
    for secret in (KEY, KEY[4:], TOKEN, SECRET_WORDS, "Authorization"):
        assert secret not in said, f"the gateway's log has {secret}: {said}"
    print("gateway: a streamed call and words, errors without the key, limits, a log without content: as designed")


def exchange(url: str) -> None:
    def client(token: str) -> openai.OpenAI:
        return openai.OpenAI(base_url=url, api_key=token, max_retries=0, timeout=20)

    # A call in small pieces, with the usage behind it.
    answers.put(
        sse(
            chunk({"role": "assistant", "content": None}),
            piece_of_call({"name": "toggle", "arguments": ""}, id="call_1", type="function"),
            *(piece_of_call({"arguments": piece}) for piece in ('{"rec', 'ord":', '"t9"}')),
            chunk({}, "tool_calls"),
            event(usage={"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}),
        )
    )
    kinds, whole = talk(client(TOKEN))
    [call] = whole.choices[0].message.tool_calls
    assert (call.id, call.function.name, json.loads(call.function.arguments)) == ("call_1", "toggle", {"record": "t9"})
    assert whole.usage.total_tokens == 12
    assert kinds.count("tool_calls.function.arguments.delta") >= 3, kinds

    headers, body = requests[-1]
    assert headers["authorization"] == f"Bearer {KEY}" and TOKEN not in str(headers), headers
    assert not any(name.startswith("x-stainless") for name in headers), headers
    assert body["model"] == "the-model" and body["max_tokens"] == 2048 and body["stream"] is True, body

    # Words, with the key among them, cut in the middle.
    told = chunk({"role": "assistant", "content": f"The key is {KEY}."})
    at = told.index(KEY.encode()) + 9
    answers.put(sse(told[:at], told[at:], chunk({}, "stop")))
    _, whole = talk(client(TOKEN))
    assert whole.choices[0].message.content == "The key is ***.", whole

    errors = (
        (401, openai.InternalServerError, 502),
        (400, openai.BadRequestError, 400),
        (429, openai.RateLimitError, 429),
    )
    for status, kind, seen in errors:
        answers.put(error(status, **{"Retry-After": "7"}))
        raised = refused(client(TOKEN), kind)
        everything = f"{raised} {raised.response.text} {raised.response.headers}"
        assert raised.status_code == seen and KEY not in everything and KEY[4:] not in everything, everything
    assert raised.response.headers["retry-after"] == "7"

    # Nobody without a token, and nobody more often than may be.
    asked = len(requests)
    refused(client("somebody"), openai.AuthenticationError)
    answers.put(sse(chunk({"role": "assistant", "content": "Hi"}), chunk({}, "stop")))
    talk(client(TOKEN))
    limited = refused(client(TOKEN), openai.RateLimitError)
    assert int(limited.response.headers["retry-after"]) >= 1
    assert len(requests) == asked + 1, "nothing was asked for them"


main(*sys.argv[1:])
