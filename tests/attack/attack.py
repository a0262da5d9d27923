"""Runs the attacks one after the other and prints a table. `run` is the command for people."""

import argparse
import fnmatch
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import harness

GROUPS = ["freezing", "filling", "fooling", "leaking", "network", "programs", "command_line"]
ATTACK_SECONDS_MAX = {"short": 60, "full": 600}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("manila")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="*")
    args = parser.parse_args()
    for group in GROUPS:
        importlib.import_module(group)
    chosen = [it for it in harness.ATTACKS if fnmatch.fnmatch(f"{it.group}/{it.name}", args.only)]
    if not chosen:
        print(f"error: no attack matches `{args.only}`\nhint: use a pattern for GROUP/NAME", file=sys.stderr)
        return 2
    n_held, fell, skipped = 0, [], []
    start = time.monotonic()
    for attack in chosen:
        begin = time.monotonic()
        verdict, detail = run(attack, args.manila, args.short)
        seconds = time.monotonic() - begin
        row = f"{verdict:<4}  {attack.number:>2}  {attack.group:<12}  {attack.name:<60}  {seconds:5.1f} s  {detail}"
        print(row.rstrip(), flush=True)
        n_held += verdict == "held"
        if verdict == "fell":
            fell.append(attack.name)
        if verdict == "skip":
            skipped.append(f"{attack.name}: {detail}")
    for text in skipped:
        print(f"\n!!!! attacks: NOT TRIED: {text}\n", file=sys.stderr)
    print(f"attacks: {n_held} held, {len(fell)} fell, {len(skipped)} not tried, {time.monotonic() - start:.0f} s")
    is_incomplete = bool(skipped) and os.environ.get("MANILA_ATTACK_REQUIRED") == "1"
    return 1 if fell or is_incomplete else 0


def run(attack: harness.Attack, manila: str, is_short: bool) -> tuple[str, str]:
    """Runs an attack in a process group of its own, which ends with it."""
    folder = Path(tempfile.mkdtemp(prefix="manila-attack-")).resolve()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=run_here, args=(attack, manila, folder, is_short, sender))
    seconds_max = ATTACK_SECONDS_MAX["short" if is_short else "full"]
    try:
        child.start()
        sender.close()
        try:
            found = receiver.recv() if receiver.poll(seconds_max) else ("fell", f"not over after {seconds_max} s")
        except EOFError:
            found = ("fell", "the attack ended without a verdict")
        child.join(5)
        return found
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.join()
        shutil.rmtree(folder, ignore_errors=True)


def run_here(attack: harness.Attack, manila: str, folder: Path, is_short: bool, sender) -> None:
    os.setpgid(0, 0)
    bench = harness.Bench(manila, folder, is_short)
    try:
        with bench.stack:
            found = ("held", attack.function(bench) or "")
    except harness.Fell as error:
        found = ("fell", str(error))
    except harness.Skip as error:
        found = ("skip", str(error))
    except Exception as error:  # Whatever an attack does not expect is a success of the attack.
        place = traceback.extract_tb(error.__traceback__)
        own = next((it for it in reversed(place) if Path(it.filename).name == f"{attack.group}.py"), place[-1])
        found = ("fell", f"{type(error).__name__} in line {own.lineno}: {str(error)[:200]}")
    sender.send((found[0], " ".join(found[1].split())))


if __name__ == "__main__":
    sys.exit(main())
