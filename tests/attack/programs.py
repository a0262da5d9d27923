"""Attacks of servers, programs and folders: crashes, processes that stay, links, packs, and the journal."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from harness import MIB, ROOT, Bench, Others, Skip, attack, expect, tool, wait_until


def two(bench: Bench, first: list[str], settings: str = "") -> str:
    """Returns a configuration with a server `a` and a good one, `b`."""
    good = f"[upstream.b]\ncommand = {json.dumps(bench.sample())}\n"
    return f"[upstream.a]\ncommand = {json.dumps(first)}\n{settings}\n{good}"


@attack("", "a server that exits at once, again and again")
def crashing_server(bench: Bench) -> str:
    starts = bench.folder / "starts"
    script = f"echo x >> {starts}; exit 3"
    gateway = bench.serve(two(bench, ["sh", "-c", script]))
    gateway.check_serves("b_echo")
    with Others(gateway, "b_echo") as others:
        begin = time.monotonic()
        n_calls = 0
        while time.monotonic() - begin < bench.pick(1, 20):
            reply = gateway.call("a_echo", {"message": "x"}, seconds=20.0)
            expect(reply.status != 200, "a server that is down answers")
            n_calls += 1
    n_starts = len(starts.read_text().splitlines())
    seconds = time.monotonic() - begin
    expect(n_starts <= 20 + seconds * 5, f"{n_starts} starts within {seconds:.0f} s")
    return f"{n_starts} starts, {n_calls} calls within {seconds:.0f} s; {others.check()}"


@attack("", "a server that crashes in each call")
def crash_in_calls(bench: Bench) -> str:
    spec = {"tools": [tool("crash")], "answers": {"crash": {"exit": 3}}}
    gateway = bench.serve(two(bench, bench.server(**spec)))
    gateway.check_serves("b_echo")
    with Others(gateway, "b_echo") as others:
        for _ in range(bench.pick(4, 30)):
            reply = gateway.call("a_crash", {}, seconds=30.0)
            expect(reply.status in (404, 502, 503), f"status {reply.status}: {reply.text[:100]}")
    return others.check()


@attack("", "a server that breaks the rules of the transport")
def misbehaving_server(bench: Bench) -> str:
    ways = [
        "garbage",
        "invalid_utf8",
        "wrong_id",
        "answer_twice",
        "unknown_request",
        "deep",
        "flood",
        "huge_line",
        "internal_error",
        "half_answer",
    ]
    gateway = bench.serve('timeout = "1s"\n' + two(bench, bench.sample()))
    gateway.check_serves("b_echo")
    with Others(gateway, "b_echo") as others:
        for way in ways:
            gateway.call("a_misbehave", {"how": way}, seconds=30.0)
    gateway.check_serves("b_echo")
    expect("panicked" not in gateway.stderr(), gateway.stderr()[-200:])
    return f"{len(ways)} ways; {others.check()}"


STUBBORN = """
import os, signal, subprocess, sys
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
if len(sys.argv) < 5:
    more = {"start_new_session": len(sys.argv) % 2 == 0}
    subprocess.Popen([sys.executable, *sys.argv, "x"], stdin=subprocess.DEVNULL, **more)
while True:
    signal.pause()
"""


@attack("", "servers with processes that do not end")
def stubborn_servers(bench: Bench) -> str:
    script = bench.file("stubborn.py", STUBBORN)
    figures = []
    for end in (signal.SIGTERM, signal.SIGKILL):
        pids = bench.folder / f"pids-{end}"
        gateway = bench.serve(two(bench, [sys.executable, str(script), str(pids)]))
        gateway.check_serves("b_echo")
        wait_until("the processes run", lambda: pids.exists() and len(pids.read_text().split()) >= 4)
        numbers = [int(line) for line in pids.read_text().split()]
        begin = time.monotonic()
        gateway.child.send_signal(end)
        if end == signal.SIGTERM:
            gateway.child.send_signal(end)
        gateway.wait(30)
        wait_until("the processes are gone", lambda: not any(map(is_running, numbers)))
        figures.append(f"{len(numbers)} gone {time.monotonic() - begin:.1f} s after {end.name}")
    return ", ".join(figures)


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@attack("", "a journal that cannot be written")
def journal_faults(bench: Bench) -> str:
    folder = bench.folder / "journal"
    config = f"[journal]\nfolder = {json.dumps(str(folder))}\n[upstream.b]\ncommand = {json.dumps(bench.sample())}\n"
    # A folder that cannot be created is reported at the start.
    bench.file("in-the-way", "")
    ran_config = config.replace(str(folder), str(bench.folder / "in-the-way" / "journal"))
    path = bench.file("refused.toml", ran_config)
    ran = bench.run("serve", "--config", str(path), "--http", "127.0.0.1:0", seconds=10)
    expect(ran.returncode == 2 and b"journal" in ran.stderr, f"status {ran.returncode}: {ran.stderr!r}")
    gateway = bench.serve(config)
    gateway.check_serves()
    # The superuser can write to read-only folders, so a file replaces the folder as well.
    wait_until("the journal is written", lambda: any(path.is_file() for path in folder.rglob("*")))
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o500)
    for _ in range(20):
        gateway.check_serves()
    shutil.move(folder, bench.folder / "moved")
    folder.write_text("in the way")
    for _ in range(bench.pick(50, 2_000)):
        gateway.check_serves()
    expect(gateway.request("GET", "/healthz").status == 200, "/healthz fails")
    for path in (bench.folder / "moved").rglob("*"):
        if path.is_dir():
            path.chmod(0o700)
    expect(gateway.terminate() == 0, "the gateway failed")
    return "reported at the start; afterwards calls are served without it"


FAKE_CARGO = """#!/bin/sh
case $1 in
  --version) echo "cargo 1.90.0 (840b83a10 2025-07-30)"; exit;;
esac
while [ $# -gt 0 ]; do
  case $1 in --manifest-path) cat "$2"; exit;; esac
  shift
done
cat Cargo.toml
"""


@attack("10", "a link that is swapped while `manifestPath` is used")
def swapped_links(bench: Bench) -> str:
    cargo = bench.file("bin/cargo", FAKE_CARGO)
    cargo.chmod(0o755)
    work = bench.folder / "work"
    for path, text in (
        ("work/real/Cargo.toml", "# INSIDE\n"),
        ("work/Cargo.toml", "# INSIDE\n"),
        ("elsewhere/Cargo.toml", "# OUTSIDE\n"),
    ):
        bench.file(path, text)
    config = f'[pack.cargo]\nroots = ["{work}"]\n'
    gateway = bench.serve(config, env={"PATH": f"{cargo.parent}:{os.environ['PATH']}"})
    link, new = work / "link", work / "new"
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            for target in ("../elsewhere", "real"):
                new.symlink_to(target)
                new.replace(link)

    link.symlink_to("real")
    swapper = threading.Thread(target=swap, daemon=True)
    swapper.start()
    outside = inside = 0
    n_calls = bench.pick(60, 6_000)
    try:
        for number in range(n_calls):
            if number % 3:
                arguments = {"action": "Check", "manifestPath": "link/Cargo.toml"}
            else:
                arguments = {"action": "Check", "workingDirectory": "link"}
            text = gateway.call("cargo_project", arguments).text
            outside += "OUTSIDE" in text
            inside += "INSIDE" in text
    finally:
        is_over.set()
        swapper.join()
    expect(outside == 0, f"{outside} of {n_calls} calls were outside of `roots`")
    expect(inside > 0, f"no call worked: {text[:300]}")
    return f"{n_calls} calls, {inside} inside, none outside"


@attack("10", "pathspecs in the example pack git.toml")
def pathspecs(bench: Bench) -> str:
    if shutil.which("git") is None:
        raise Skip("git is not on the PATH")
    work = bench.folder / "work"
    bench.file("work/notes.txt", "TOP SECRET NOTES\n")
    bench.file("work/sub/own.txt", "own\n")
    environment = bench.environment() | {"GIT_CONFIG_GLOBAL": "/dev/null"}

    def git(*args: str) -> str:
        command = ["git", "-C", str(work), *args]
        return subprocess.run(command, capture_output=True, env=environment, check=False).stdout.decode()

    git("init", "--quiet")
    git("add", "--intent-to-add", ".")
    config = f'[pack.git]\nfile = "{ROOT}/examples/packs/git.toml"\nroots = ["{work}"]\n'
    gateway = bench.serve(config)
    magic = [
        ":/",
        ":!own.txt",
        ":^own.txt",
        ":(top)notes.txt",
        ":(exclude)own.txt",
        "*",
        ":(glob)**",
        ":",
        "../notes.txt",
        "/etc/passwd",
        "--all",
    ]
    for path in magic:
        for action in ("Status", "Log", "Diff", "Stage"):
            text = gateway.call("git_repository", {"action": action, "workingDirectory": "sub", "paths": [path]}).text
            is_outside = path == "../notes.txt"  # Within roots, so it is allowed.
            is_shown = "TOP SECRET" in text or ("notes.txt\\n" in text and not is_outside)
            expect(is_outside or not is_shown, f"{action} {path}: {text[:200]}")
            staged = git("diff", "--cached", "--name-only")
            expect(is_outside or staged == "", f"{action} {path} staged {staged!r}")
        git("reset", "--quiet")
        git("add", "--intent-to-add", ".")
    text = gateway.call("git_repository", {"action": "Diff", "workingDirectory": "sub", "paths": ["own.txt"]}).text
    expect("+own" in text, f"a plain path does not work: {text[:300]}")
    return f"{len(magic)} paths in 4 actions"


RECORDING_CARGO = """#!/bin/sh
[ "$1" = --version ] && { echo "cargo 1.90.0 (840b83a10 2025-07-30)"; exit; }
printf "%s\\n" "$@" ---- >> RECORD
"""


@attack("", "arguments of packs as options, files or commands")
def pack_injection(bench: Bench) -> str:
    record = bench.folder / "arguments"
    cargo = bench.file("bin/cargo", RECORDING_CARGO.replace("RECORD", str(record)))
    cargo.chmod(0o755)
    bench.file("work/Cargo.toml", "[package]\n")
    gateway = bench.serve(
        f'[pack.cargo]\nroots = ["{bench.folder / "work"}"]\n', env={"PATH": f"{cargo.parent}:{os.environ['PATH']}"}
    )
    attacks = [
        "--config=evil",
        "-Zscript",
        "; touch evil",
        "$(touch evil)",
        "`touch evil`",
        "a\nb",
        "a\0b",
        "@evil",
        "../../etc/passwd",
        "--",
        "-",
        "\u2028--x",
        "%s",
        "a b",
    ]
    n_calls = 0
    for value in attacks:
        for name in (
            "package",
            "features",
            "bin",
            "example",
            "profile",
            "target",
            "filter",
            "manifestPath",
            "workingDirectory",
            "toolchain",
        ):
            for action in ("Build", "Test"):
                gateway.call("cargo_project", {"action": action, name: value})
                gateway.call("cargo_project", {"action": action, name: [value]})
                n_calls += 2
    gateway.call("cargo_project", {"action": "Build", "features": ["good"]})
    expect(not list(bench.folder.rglob("evil")), "a command ran")
    words = record.read_text().split("\n")
    expect("good" in words, "a good call did not run")
    bad = [word for word in words if word in ("--config=evil", "-Zscript", "@evil", "../../etc/passwd")]
    expect(not bad, f"arguments: {bad[:5]}")
    return f"{n_calls} calls refused or harmless, {words.count('----')} ran the program"


@attack("", "a program that floods `manila run` and leaves processes")
def run_floods(bench: Bench) -> str:
    pids = bench.folder / "pids"
    n_bytes = bench.pick(20, 2_000) * MIB
    script = (
        f"sleep 1000 & echo $! > {pids}; head -c {n_bytes} /dev/zero | tr '\\0' x; (sleep 1000 >&2 & echo $! >> {pids})"
    )
    command = ["sh", "-c", f'ulimit -v 4000000; exec {bench.manila} run --timeout 30s -- sh -c "$1"', "sh", script]
    ran = subprocess.run(command, capture_output=True, env=bench.environment(), timeout=60, check=False)
    expect(len(ran.stdout) < 8 * MIB, f"{len(ran.stdout)} bytes of output")
    envelope = json.loads(ran.stdout)
    wait_until("the processes are gone", lambda: not any(is_running(int(pid)) for pid in pids.read_text().split()))
    return f"{n_bytes // MIB} MiB written, {len(ran.stdout)} bytes kept, success {envelope['success']}"
