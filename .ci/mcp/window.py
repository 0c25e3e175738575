"""An outside client and a user at a real window: the client asks, the user decides with the keyboard, the client counts.

usage: window.py TODO ORDERS PICTURES; DISPLAY names a screen without a window manager that nobody else uses.
"""

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

CARD = bytes((255, 143, 0))  # the frame of a question, egui's color of warnings
PATIENCE = 60


def x(*command: str) -> str:
    return subprocess.run(["xdotool", *command], check=True, capture_output=True, text=True).stdout


def until(what: str, holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.1)


class App:
    """A running example with a window."""

    def __init__(self, program: str, pictures: str):
        self.pictures = pictures
        self.process = subprocess.Popen([program, "--serve-mcp"], stdout=subprocess.PIPE, text=True)
        running = json.loads(self.process.stdout.readline())
        assert running["pid"] == self.process.pid, running
        self.url, self.token = running["url"].removesuffix("/mcp"), running["token"]
        until("the window", lambda: self.windows())
        self.window = self.windows()[-1]
        x("windowfocus", self.window)

    def windows(self) -> list[str]:
        search = ["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)]
        return subprocess.run(search, capture_output=True, text=True).stdout.split()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def post(self, verb: str, body: dict, timeout: float = PATIENCE) -> dict:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "X-Pling-Client": "ci"}
        request = urllib.request.Request(f"{self.url}/{verb}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)

    def invoke(self, action: str, timeout: float = PATIENCE, **arguments) -> dict:
        return self.post("invoke", {"action": action, "arguments": arguments}, timeout)

    def ask(self, action: str, timeout: float = PATIENCE, **arguments) -> "Asked":
        """Calls, and waits until the question is in the window."""
        asked = Asked(lambda: self.invoke(action, timeout, **arguments))
        until("the card", self.shows_card)
        return asked

    def shows_card(self) -> bool:
        picture = ["import", "-window", "root", "-depth", "8", "rgb:-"]
        return CARD in subprocess.run(picture, check=True, capture_output=True).stdout

    def shot(self, name: str) -> None:
        subprocess.run(["import", "-window", "root", f"{self.pictures}/{name}.png"], check=True)

    def compose(self) -> None:
        """Puts the caret into the composer, at the lower right."""
        width, height = (int(part.split("=")[1]) for part in x("getwindowgeometry", "--shell", self.window).split()[3:5])
        x("mousemove", "--window", self.window, str(width - 170), str(height - 60), "click", "1")
        time.sleep(0.3)

    def allow(self) -> None:
        self.compose()
        x("key", "ctrl+Return")

    def state(self, name: str) -> object:
        text = self.post("describe", {})["text"]
        line = next(line for line in text.splitlines() if line.startswith(f"- {name} "))
        return json.loads(line.split("<page_data>")[1].split("</page_data>")[0])


class Asked:
    """A call that waits for its user."""

    def __init__(self, call):
        self.result = None
        self.thread = threading.Thread(target=self.run, args=(call,))
        self.thread.start()

    def run(self, call) -> None:
        try:
            self.result = call()
        except TimeoutError:
            self.result = "left"

    def answer(self):
        self.thread.join(PATIENCE)
        assert self.result is not None, "no answer"
        return self.result


def todo(program: str, pictures: str) -> None:
    with App(program, pictures) as app:
        assert app.invoke("toggle", record="t9")["result"]["ok"]
        assert (app.state("total"), app.state("done")) == (12, 1)

        # The client gives up; the card goes with it, and what the user presses then does nothing.
        asked = app.ask("clear_done", timeout=2)
        assert asked.answer() == "left"
        until("the card to go", lambda: not app.shows_card())
        app.allow()
        assert app.state("total") == 12

        asked = app.ask("clear_done")
        app.shot("todo-card")
        app.allow()
        assert asked.answer()["result"]["ok"]
        assert (app.state("total"), app.state("done")) == (11, 0)

        # A message is a denial with words, and the same call is not asked about again.
        assert app.invoke("toggle", record="t1")["result"]["ok"]
        asked = app.ask("clear_done")
        app.compose()
        x("type", "keep it")
        x("key", "Return")
        error = asked.answer()["error"]
        assert error["code"] == "APPROVAL_DENIED" and "keep it" in error["message"], error
        again = app.invoke("clear_done")["error"]
        assert again["code"] == "APPROVAL_DENIED" and "already said no" in again["message"], again
        assert (app.state("total"), app.state("done")) == (11, 1)

        # Off the screen it is painted all the same.
        x("windowunmap", app.window)
        until("the window to be gone", lambda: not app.windows())
        assert app.invoke("toggle", record="t2")["result"]["ok"]
        assert app.state("done") == 2
        x("windowmap", app.window)
        print("todo: client gone, allowed, denied with words, asked twice, off the screen: as designed")


def orders(program: str, pictures: str) -> None:
    with App(program, pictures) as app:
        asked = app.ask("refund", record="ORD-000007")
        app.shot("orders-card")
        app.allow()
        result = asked.answer()["result"]
        assert result["ok"] and result["action"]["record"] == "ORD-000007", result
        lines = app.post("describe", {})["text"].splitlines()
        [row] = [line for line in lines if '{"id":"ORD-000007"' in line]
        assert '"status":"refunded"' in row, row
        # A row far from those that are drawn.
        assert app.invoke("select", record="ORD-900000", checked=True)["result"]["ok"]
        assert app.state("selected in orders") == 1
        app.shot("orders-far")
        print("orders: a refund allowed, row 900,000 of a million selected: as designed")


def main(todo_program: str, orders_program: str, pictures: str) -> None:
    os.makedirs(pictures, exist_ok=True)
    todo(todo_program, pictures)
    orders(orders_program, pictures)


main(*sys.argv[1:])
