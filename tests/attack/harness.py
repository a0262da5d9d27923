"""What all attacks share: the registry, the gateway under attack, and its measurements."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import clients

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MIB = 1024 * 1024

# A secret that the built-in rules know. Split, so that scanners ignore this file.
SECRET = "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"

# How long anything that should be immediate may take. Far above any measurement, because other programs may use the
# machine.
PROMPT_SECONDS_MAX = 5.0
# The same for `/healthz` without --short, which waits for no server and no work.
HEALTHZ_SECONDS_MAX = 1.0


class Fell(Exception):
    """The attack succeeded. The text describes what happened."""


class Skip(Exception):
    """The attack cannot run here. The text gives the reason."""


@dataclass(frozen=True)
class Attack:
    group: str
    number: str
    name: str
    function: Callable


ATTACKS: list[Attack] = []


def attack(number: str, name: str) -> Callable:
    """Registers an attack. It returns a detail, or raises `Fell`."""

    def register(function: Callable) -> Callable:
        ATTACKS.append(Attack(function.__module__, number, name, function))
        return function

    return register


def expect(condition: bool, detail: object) -> None:
    """Raises `Fell` unless the condition holds."""
    if not condition:
        text = detail if isinstance(detail, str) else json.dumps(detail)
        raise Fell(text[:300])


def wait_until(what: str, condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"not within {seconds:.0f} s: {what}")
        time.sleep(0.02)


class Bench:
    """A folder, and everything that one attack has started."""

    def __init__(self, manila: str, folder: Path, is_short: bool):
        self.manila = manila
        self.folder = folder
        self.is_short = is_short
        self.stack = contextlib.ExitStack()
        self.n_servers = 0
        self.n_gateways = 0

    def pick(self, short: int, full: int) -> int:
        """Returns a size for this mode."""
        return short if self.is_short else full

    def file(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return kept | {"MANILA_HOME": str(self.folder / "home")}

    def server(self, **spec) -> list[str]:
        """Returns the command of a scripted server. `servers/scripted.py` describes the specification."""
        self.n_servers += 1
        spec.setdefault("log", str(self.folder / f"received-{self.n_servers}.jsonl"))
        path = self.file(f"server-{self.n_servers}.json", json.dumps(spec))
        return [sys.executable, str(HERE / "servers" / "scripted.py"), str(path)]

    def received_calls(self, number: int = 1) -> list[str]:
        """Returns the names of the tools that a scripted server was asked to call."""
        path = self.folder / f"received-{number}.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        messages = [json.loads(line) for line in lines]
        return [m["params"].get("name") for m in messages if m.get("method") == "tools/call"]

    def sample(self) -> list[str]:
        return [self.manila, "sample-server"]

    def run(self, *args: str | bytes, stdin: bytes = b"", env: dict | None = None, seconds: float = 60.0):
        """Runs a command of manila to its end."""
        command = [self.manila, *args]
        environment = self.environment() | (env or {})
        return subprocess.run(
            command, input=stdin, capture_output=True, cwd=self.folder, env=environment, timeout=seconds, check=False
        )

    def start(self, *args: str, env: dict | None = None, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        """Starts manila, and ends it after the attack."""
        return self.stack.enter_context(Gateway(self, list(args), self.environment() | (env or {}), stdin, stdout))

    def wrap(self, server: list[str], *options: str) -> "Gateway":
        """Starts `manila wrap` over HTTP."""
        return self.start("wrap", "--http", "127.0.0.1:0", *options, "--", *server)

    def serve(self, config: str, *options: str, env: dict | None = None) -> "Gateway":
        """Starts `manila serve` over HTTP."""
        path = self.file("manila.toml", config)
        return self.start("serve", "--config", str(path), "--http", "127.0.0.1:0", *options, env=env)

    def pipe(self, server: list[str], *options: str) -> clients.Pipe:
        """Starts `manila wrap` over stdio, with a client."""
        gateway = self.start("wrap", *options, "--", *server, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return clients.Pipe(gateway)


class Gateway:
    """A running manila."""

    def __init__(self, bench: Bench, args: list[str], environment: dict[str, str], stdin, stdout):
        self.is_short = bench.is_short
        bench.n_gateways += 1
        self.log = bench.folder / f"stderr-{bench.n_gateways}.log"
        with self.log.open("wb") as stderr:
            self.child = subprocess.Popen(
                [bench.manila, *args], stdin=stdin, stdout=stdout, stderr=stderr, cwd=bench.folder, env=environment
            )
        self._address: tuple[str, int] | None = None

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *_) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    @property
    def address(self) -> tuple[str, int]:
        """The address that the gateway prints."""
        if self._address is None:
            pattern = re.compile(r"http://([\d.]+):(\d+)/mcp")
            wait_until(
                "the gateway listens", lambda: pattern.search(self.stderr()) is not None or not self.is_running()
            )
            found = pattern.search(self.stderr())
            if not found:
                raise RuntimeError(f"the gateway did not start: {self.stderr()[-300:]}")
            self._address = (found[1], int(found[2]))
        return self._address

    def stderr(self) -> str:
        return self.log.read_text(errors="replace")

    def is_running(self) -> bool:
        return self.child.poll() is None

    def terminate(self, seconds: float = 20.0) -> int:
        """Sends SIGTERM and returns the exit status."""
        self.child.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds: float = 20.0) -> int:
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Fell(f"still running after {seconds:.0f} s") from None

    def memory(self, key: str = "VmRSS") -> int:
        """Returns a size of the process in bytes: `VmRSS`, or `VmHWM` for the peak."""
        expect(self.is_running(), f"the gateway ended: {self.stderr()[-200:]}")
        for line in Path(f"/proc/{self.child.pid}/status").read_text().splitlines():
            if line.startswith(key):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"/proc has no {key}")

    def request(self, *args, **options) -> clients.Reply:
        return clients.request(self.address, *args, **options)

    def call(self, tool: str, arguments: dict, **options) -> clients.Reply:
        """Calls a tool over plain HTTP."""
        return self.request("POST", f"/tools/{tool}", body=json.dumps(arguments).encode(), **options)

    def session(self, revision: str = "2025-11-25") -> clients.Session:
        return clients.Session(self.address, revision)

    def check_serves(self, tool: str = "echo") -> None:
        """Checks that the gateway still serves other clients."""
        reply = self.call(tool, {"message": "still here"}, seconds=20.0)
        expect(reply.status == 200, f"other clients get {reply.status}: {reply.text[:200]}")


class Others:
    """Other clients of a gateway: they call `echo` and `/healthz` again and again while an attack runs."""

    def __init__(self, gateway: Gateway, tool: str = "echo"):
        self.gateway = gateway
        self.tool = tool
        self.seconds: dict[str, list[float]] = {"echo": [], "healthz": []}
        self.failures: list[str] = []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.probe, args=(kind,), daemon=True) for kind in self.seconds]

    def __enter__(self) -> "Others":
        for thread in self.threads:
            thread.start()
        wait_until("other clients are served", lambda: all(self.seconds.values()) or bool(self.failures))
        return self

    def __exit__(self, *_) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join(30)

    def probe(self, kind: str) -> None:
        while not self.is_over.is_set():
            start = time.monotonic()
            try:
                if kind == "echo":
                    reply = self.gateway.call(self.tool, {"message": "x"}, seconds=30.0)
                else:
                    reply = self.gateway.request("GET", "/healthz", seconds=30.0)
                if reply.status != 200:
                    self.failures.append(f"{kind}: status {reply.status}")
            except (OSError, ValueError) as error:
                if not self.is_over.is_set():
                    self.failures.append(f"{kind}: {error!r}")
            self.seconds[kind].append(time.monotonic() - start)
            self.is_over.wait(0.005)

    def check(self) -> str:
        """Checks that every other client was answered promptly, and returns the figures."""
        expect(not self.failures, "; ".join(self.failures[:3]))
        worst = {kind: max(seconds) for kind, seconds in self.seconds.items()}
        text = ", ".join(f"{kind} at most {seconds * 1000:.0f} ms" for kind, seconds in worst.items())
        n_answers = sum(map(len, self.seconds.values()))
        healthz_max = PROMPT_SECONDS_MAX if self.gateway.is_short else HEALTHZ_SECONDS_MAX
        expect(worst["echo"] <= PROMPT_SECONDS_MAX and worst["healthz"] <= healthz_max, text)
        return f"{text} ({n_answers} answers)"


def mib(size: float) -> str:
    return f"{size / MIB:.0f} MiB"


def tool(name: str, **members) -> dict:
    """Returns a tool for `tools/list`."""
    return {"name": name, "inputSchema": {"type": "object"}} | members
