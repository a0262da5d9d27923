"""Attacks that get a secret into what Manila writes."""

import http.server
import json
import os
import stat
import sys
import threading
from pathlib import Path

from harness import SECRET, Bench, attack, expect, tool

# The shortest part of a secret that is too much.
PART_CHARS = 8
# A program that writes some bytes and then secrets without the end of a line, so that a cut is inside one of them.
PRINTS = "import sys; sys.stdout.write('x' * int(sys.argv[1]) + (' ' + sys.argv[2]) * 2500)"


def parts(secret: str) -> list[str]:
    return [secret[at : at + PART_CHARS] for at in range(len(secret) - PART_CHARS + 1)]


def expect_no_part(text: str, what: str, secret: str = SECRET) -> None:
    """Checks that a text has no part of a secret."""
    for part in parts(secret):
        expect(part not in text, f"{what}: `{part[:3]}…` in the output")


def alignments(bench: Bench) -> range:
    """Returns how many bytes to write first, so that the cut is at different characters of a secret."""
    return range(0, len(SECRET) + 1, bench.pick(6, 1))


@attack("9", "a token across the cut of `manila run`")
def token_across_the_cut(bench: Bench) -> str:
    for n_before in alignments(bench):
        # The command line, which is part of the envelope, has the secret as well.
        command = [sys.executable, "-c", PRINTS, str(n_before), SECRET]
        text = bench.run("run", "--max-output", "20000", "--", *command).stdout.decode()
        expect("truncated" in text.lower(), f"nothing was cut: {text[:200]}")
        expect_no_part(text, f"after {n_before} bytes")
    return f"{len(alignments(bench))} positions, no part of it is left"


@attack("9", "a token across the cut of a pack")
def token_across_the_cut_of_a_pack(bench: Bench) -> str:
    program = bench.file("bin/shout", f"#!{sys.executable}\n{PRINTS}\n")
    program.chmod(0o755)
    pack = bench.file("shout.toml", PACK.replace("PROGRAM", str(program)))
    gateway = bench.serve(f"[pack.shout]\nfile = {json.dumps(str(pack))}\noutput_chars_max = 20000\n")
    for n_before in alignments(bench):
        reply = gateway.call("shout_it", {"action": "Shout", "n": n_before, "text": SECRET})
        expect("truncated" in reply.text.lower(), f"nothing was cut: {reply.text[:300]}")
        expect_no_part(reply.text, f"after {n_before} bytes")
    return f"{len(alignments(bench))} positions, no part of it is left"


@attack("9", "a token across the cut of a program that is stopped")
def token_of_a_stopped_program(bench: Bench) -> str:
    # A block of 8192 bytes ends inside the secret.
    write = "sys.stdout.write('x' * 8171 + ' ' + sys.argv[1][:20])"
    script = f"import sys, time; {write}; sys.stdout.flush(); time.sleep(60)"
    command = [sys.executable, "-c", script, SECRET]
    text = bench.run("run", "--timeout", "1s", "--", *command).stdout.decode()
    expect("xxxx" in text, f"no output: {text[:200]}")
    expect_no_part(text, "a program that is stopped")
    return "no part of it is left"


PACK = """
name = "shout"
about = "Writes a lot"
program = "PROGRAM"

[[tool]]
name = "it"
about = "Writes a lot"

[[tool.parameter]]
name = "n"
about = "How much to write before the text"
type = "integer"

[[tool.parameter]]
name = "text"
about = "The text"

[[tool.action]]
name = "Shout"
about = "Writes a lot."
arguments = ["{n}", "{text}"]
"""


WRITES_PIECES = """
import sys, time
secret = open(sys.argv[1]).read()
for at in (5, 20, 39):
    for piece in ("x" * 8000 + " " + secret[:at], secret[at:] + "\\n"):
        sys.stderr.write(piece)
        sys.stderr.flush()
        time.sleep(0.05)
for n_before in range(65_500, 65_540, 9):
    sys.stderr.write("x" * (n_before - 1) + " " + secret + "\\n")
sys.stderr.write(" ".join("x" * 60 for _ in range(9000)) + " " + secret)
sys.stderr.flush()
sys.exit(3)
"""


@attack("", "a token across the pieces of a server's stderr")
def token_in_pieces_on_stderr(bench: Bench) -> str:
    # The script reads the secret, because the command line is in the log as well.
    script = bench.file("server.py", WRITES_PIECES)
    secret = bench.file("secret", SECRET)
    ran = bench.run("call", "echo", "--", sys.executable, str(script), str(secret))
    expect(b"xxxx" in ran.stderr, ran.stderr.decode())
    expect_no_part((ran.stdout + ran.stderr).decode(), "stderr of a server")
    return f"{len(ran.stderr)} bytes of log without it"


@attack("11", "UTF-16 and UTF-32 for `manila redact`")
def wide_text(bench: Bench) -> str:
    texts = [f"token {SECRET}\n", f"password: {SECRET}\n", f"\u4f60\u597d {SECRET}\n", f"plain\n{SECRET}"]
    encodings = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
    marks = {
        "utf-16-le": b"\xff\xfe",
        "utf-16-be": b"\xfe\xff",
        "utf-32-le": b"\xff\xfe\0\0",
        "utf-32-be": b"\0\0\xfe\xff",
    }
    n_refused = 0
    for encoding in encodings:
        for text in texts:
            encoded = text.encode(encoding)
            for data in (encoded, marks[encoding] + encoded, b"plain text first\n" + encoded):
                for options in ([], ["--json"], ["--report"]):
                    ran = bench.run("redact", *options, stdin=data)
                    decoded = ran.stdout.decode("latin-1").replace("\0", "")
                    expect_no_part(decoded, f"{encoding}, {options}, status {ran.returncode}")
                    is_clean = ran.returncode == 0 and "--report" in options
                    expect(not is_clean, f"{encoding}: --report finds nothing")
                    n_refused += ran.returncode != 0
    return f"{n_refused} refused or reported, none copied"


CLIENT_CONFIG = {
    "mcpServers": {
        "db": {
            "command": "psql-mcp",
            "args": [
                "-h",
                "localhost",
                "-p",
                "S-one-7Gh2kQ",
                "-pS-two-9Xk3mZ",
                "--password",
                "S-three-4Rt6",
                "--pw=S-four-8Yu1",
            ],
            "env": {
                "DB_PW": "S-five-2We5",
                "PGPASS": "S-six-3Er7",
                "MYSQL_PWD": "S-seven-6Ty8",
                "AUTH": "S-eight-1Qa9",
            },
        },
        "web": {
            "type": "http",
            "url": "https://user:S-nine-5Df4@example.com/mcp?key=S-ten-8Gh3&api_key=S-eleven-7Jk2&v=1",
            "headers": {
                "X-Auth": "S-twelve-3Lm6",
                "X-Custom-Header": "S-thirteen-9Nb5",
                "Cookie": "sid=S-fourteen-4Vc7",
                "Authorization": "Bearer S-fifteen-2Xz8",
                "X-Api-Key": "S-sixteen-6Hy4",
            },
        },
        "curl": {"command": "curl-mcp", "args": ["-u", "me:S-seventeen-5", "-H", "X-Vault: S-eighteen-8Zk4", SECRET]},
    }
}


@attack("11", "`manila import` of secrets in unusual places")
def import_of_secrets(bench: Bench) -> str:
    os.umask(0o022)
    config = bench.file("mcp.json", json.dumps(CLIENT_CONFIG))
    ran = bench.run("import", str(config), "--output", "manila.toml")
    expect(ran.returncode == 0, ran.stderr.decode())
    written = bench.folder / "manila.toml"
    for where, text in (("manila.toml", written.read_text()), ("stderr", ran.stderr.decode())):
        found = [word for word in text.replace('"', " ").split() if "S-" in word or SECRET in word]
        expect(not found, f"{len(found)} secrets in {where}: {[hide(word) for word in found]}")
    expect_mode(written)
    kept = bench.run("import", str(config), "--output", "kept.toml", "--keep-secrets")
    expect(kept.returncode == 0, kept.stderr.decode())
    expect_mode(bench.folder / "kept.toml")
    existing = bench.file("existing.toml", "")
    existing.chmod(0o644)
    bench.run("import", str(config), "--output", "existing.toml", "--force", "--keep-secrets")
    expect_mode(existing)
    return "no secret in the file, mode 600"


def hide(word: str) -> str:
    """Returns a word whose secret is shortened to its number."""
    before, _, rest = word.partition("S-")
    return f"{before}S-{rest.split('-')[0]}"


def expect_mode(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    expect(mode & 0o077 == 0, f"{path.name} has mode {mode:o}")


@attack("", "secrets in the journal and in the log")
def secrets_in_the_journal(bench: Bench) -> str:
    os.umask(0o022)
    answers = {"t": {"result": {"content": [{"type": "text", "text": SECRET}]}, "stderr": f"token {SECRET}"}}
    gateway = bench.serve(
        "[upstream.s]\ncommand = " + json.dumps(bench.server(tools=[tool("t")], answers=answers)), "-v"
    )
    session = gateway.session()
    for name in ("t", SECRET, f"t {SECRET}"):
        session.call(name, {"password": SECRET, "n": SECRET})
        session.call(name, {}, {"dev.manila/agentId": SECRET, "dev.manila/taskId": SECRET})
        gateway.request("POST", "/tools/t", {"X-Request-Id": SECRET}, json.dumps({SECRET: SECRET}).encode())
    gateway.request("GET", f"/{SECRET}?key={SECRET}")
    expect(gateway.terminate() == 0, "the gateway failed")
    files = [path for path in (bench.folder / "home").rglob("*") if path.is_file()]
    expect(any("tools/call" in path.read_text() for path in files), "there is no journal")
    for path in files:
        text = path.read_text()
        # A caller's request id is not redacted: SECURITY.md names it.
        lines = [line for line in text.splitlines() if SECRET in line.replace(f'"requestId":"{SECRET}"', "")]
        expect(not lines, f"journal: {lines[:1]}".replace(SECRET, "SECRET"))
        expect_mode(path)
    log = [line for line in gateway.stderr().splitlines() if SECRET in line]
    expect(not log, f"log: {log[:1]}".replace(SECRET, "SECRET"))
    return f"{len(files)} files without it, mode 600"


@attack("", "credentials for a server that redirects")
def credentials_and_redirects(bench: Bench) -> str:
    seen: list[str] = []

    class Thief(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(f"{self.path} {self.headers.get('Authorization')}")
            self.send_response(200)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_) -> None:
            pass

    class Redirecting(Thief):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(307)
            self.send_header("Location", f"http://localhost:{thief.server_port}/stolen")
            self.end_headers()

        do_GET = do_POST

    thief, redirecting = (http.server.ThreadingHTTPServer(("127.0.0.1", 0), it) for it in (Thief, Redirecting))
    for server in (thief, redirecting):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{redirecting.server_port}/mcp"
    ran = bench.run("call", "echo", "--url", url, "--header", f"Authorization: Bearer {SECRET}")
    for server in (thief, redirecting):
        server.shutdown()
    expect(not seen, f"the other server got {len(seen)} requests")
    expect(SECRET not in (ran.stdout + ran.stderr).decode(), "the token is in the output")
    return "the redirection is not followed"
