"""Runs many command lines quickly: the library is imported once, and every command is a fork with a time limit.

Reads one JSON list of arguments per line from standard input; answers with one JSON object per line.
"""

import contextlib
import json
import os
import selectors
import signal
import sys
import time

import click

import oracledp.cli
import oracledp.data.table.duck
import oracledp.learners

LIMIT = 25.0
CONTEXT = click.Context(oracledp.cli.cli)
COMMANDS = [oracledp.cli.cli.get_command(CONTEXT, name) for name in oracledp.cli.COMMANDS]  # imported once, here


def child(arguments: list[str], out: int, err: int) -> None:
    os.setsid()
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    sys.argv = ["oracledp", *arguments]
    code = 0
    try:
        oracledp.cli.main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 99
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(arguments: list[str]) -> dict[str, object]:
    pipes = [os.pipe(), os.pipe()]
    pid = os.fork()
    if pid == 0:
        child(arguments, pipes[0][1], pipes[1][1])
    texts = {}
    end = time.monotonic() + LIMIT
    with selectors.DefaultSelector() as selector:
        for reader, writer in pipes:
            os.close(writer)
            texts[reader] = b""
            selector.register(reader, selectors.EVENT_READ)
        while selector.get_map() and time.monotonic() < end:
            for key, _ in selector.select(timeout=0.5):
                data = os.read(key.fd, 1 << 16)
                texts[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
        hung = bool(selector.get_map())
    if hung:
        os.killpg(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    for reader, _ in pipes:
        os.close(reader)
    out, err = (texts[reader].decode(errors="replace") for reader, _ in pipes)
    return {"hung": hung, "code": os.waitstatus_to_exitcode(status), "out": out, "err": err}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
