"""Attacks with arguments and input on every command."""

import concurrent.futures
import os
import random
import re
import subprocess

from harness import Bench, attack, expect

BAD = b"\xff\xfe"
# Commands that would run until they are ended.
SERVING = {"serve", "sample-server"}


def commands(bench: Bench) -> list[list[str]]:
    """Returns all commands with subcommands, by their help."""

    def below(path: list[str]) -> list[list[str]]:
        text = bench.run(*path, "--help").stdout.decode()
        part = text.partition("\nCommands:\n")[2].partition("\n\n")[0]
        names = [found[1] for found in re.finditer(r"(?m)^  ([a-z-]+)", part) if found[1] != "help"]
        return [path, *(it for name in names for it in below([*path, name]))]

    return below([])


def options(bench: Bench, path: list[str]) -> list[str]:
    text = bench.run(*path, "--help").stdout.decode()
    return sorted(set(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z-]+) <", text)))


def run(bench: Bench, args: list[bytes]) -> tuple[int, bytes]:
    """Runs a command for a short time, with empty input."""
    try:
        ran = bench.run(*args, seconds=10.0)
    except subprocess.TimeoutExpired:
        return 0, b""
    return ran.returncode, ran.stderr


def expect_no_panic(args: list[bytes], status: int, stderr: bytes) -> None:
    shown = " ".join(os.fsdecode(it) for it in args).encode(errors="backslashreplace").decode()
    expect(
        b"panicked" not in stderr and status in (0, 1, 2), f"`manila {shown[:100]}`: status {status}: {stderr[:150]!r}"
    )


@attack("11", "arguments that are not UTF-8, for every command")
def arguments_not_utf8(bench: Bench) -> str:
    cases: list[list[bytes]] = []
    for path in commands(bench):
        words = [word.encode() for word in path]
        cases.append([*words, BAD])
        cases.append([*words, b"--" + BAD])
        cases.append([*words, b"--", BAD])
        if not set(path) & SERVING:
            chosen = options(bench, path)
            cases.extend([*words, option.encode(), BAD] for option in (chosen[:2] if bench.is_short else chosen))
            cases.extend(
                [*words, option.encode() + b"=" + BAD] for option in (chosen[:1] if bench.is_short else chosen)
            )
    n_refused = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for args, (status, stderr) in zip(cases, pool.map(lambda args: run(bench, args), cases), strict=False):
            expect_no_panic(args, status, stderr)
            n_refused += status == 2
            if args[-1] == BAD and len(args) == 2 and args[0] == b"explain":
                expect(status == 2 and b"error: " in stderr, f"explain: status {status}: {stderr!r}")
    return f"{len(cases)} command lines, {n_refused} refused with status 2, no panic"


@attack("", "random bytes as the input of every command")
def random_input(bench: Bench) -> str:
    rounds = bench.pick(2, 40)
    source = random.Random(7)
    readers = [
        ["seal", "-"],
        ["check", "-"],
        ["convert", "--to", "envelope-v1", "-"],
        ["redact"],
        ["import", "-"],
        ["log"],
    ]
    seeds = [
        b'{"observed": {"said": "x"}}',
        b'{"mcpServers": {"a": {"command": "x"}}}',
        b"[" * 5_000,
        b"\0" * 5_000,
        b"password: ",
    ]
    n_runs = 0
    for _ in range(rounds):
        for args in readers:
            data = bytearray(source.choice(seeds) * source.choice([1, 1, 20]))
            for _ in range(source.randrange(30)):
                data[source.randrange(len(data))] = source.randrange(256)
            ran = bench.run(*args, stdin=bytes(data))
            expect_no_panic([it.encode() for it in args], ran.returncode, ran.stderr)
            n_runs += 1
    return f"{n_runs} runs, no panic"


@attack("", "output that is closed early or full")
def closed_output(bench: Bench) -> str:
    for args in (["schema", "config"], ["errors"], ["contracts"], ["--help"], ["redact", "--rules"]):
        read_end, write_end = os.pipe()
        os.close(read_end)
        command = [bench.manila, *args]
        child = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, timeout=20, check=False)
        os.close(write_end)
        is_refused = child.returncode in (0, 2) and b"panicked" not in child.stderr
        expect(is_refused, f"{args} to a closed pipe: status {child.returncode}: {child.stderr[:200]!r}")
        with open("/dev/full", "wb") as full:
            child = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=20, check=False)
        is_refused = child.returncode == 2 and b"panicked" not in child.stderr
        expect(is_refused, f"{args} to a full disk: status {child.returncode}: {child.stderr[:200]!r}")
    return "no panic, and status 2 for a full disk"
