"""Drives `luath batch work` for an engine that keeps a list of records for each row.

The engine stores each record durably before it returns from `store`. README.md describes the protocol.
"""
import contextlib
import json
import subprocess

RECORDS = ("intent", "outcome", "end", "forget", "released")


class WorkerEnded(Exception):
    """The worker ended before the row did: deliver the row again, with its records."""


class RowRefused(Exception):
    """The worker cannot work on the row as it was delivered."""


class Worker:
    """One process of `luath batch work`, for one row at a time."""

    def __init__(self, command, hello, keep=()):
        """`hello` is the first line of `luath batch tasks`, as an object.

        `keep` are descriptors that luath inherits and holds until it has ended, such as that of a locked file.
        """
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=keep)
        try:
            self.send(hello)
            answer = self.receive()
            if answer["type"] != "hello":
                raise WorkerEnded(answer.get("message", "no hello"))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends the worker: without its pipes it begins no further call; one that is under way is over afterwards."""
        for pipe in (self.process.stdin, self.process.stdout):
            # A line may be left that a worker which has ended cannot read.
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.process.wait()

    def send(self, line):
        try:
            self.process.stdin.write(json.dumps(line) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise WorkerEnded("the worker has ended") from error

    def receive(self):
        line = self.process.stdout.readline()
        # A process that is killed may leave a part of a line.
        if not line.endswith("\n"):
            raise WorkerEnded("the worker has ended")
        return json.loads(line)

    def carry_out(self, task, records, store, alive=lambda: None, **members):
        """Carries a row out, and returns its end, an object with `state` and perhaps `fault`.

        `task` is a line of `luath batch tasks`, `records` has the records of earlier deliveries, `store` makes a
        record durable. `alive` is called at each heartbeat, and raises if the row belongs to another process by now.
        `members` are further members of the line: `done`, `made`, `retry`.
        """
        self.send({**task, "records": records, **members})
        while True:
            line = self.receive()
            if line["type"] in ("heartbeat", "confirm"):
                alive()
            if line["type"] == "refused":
                raise RowRefused(f"row {line['row']}: {line['message']}")
            if line["type"] in RECORDS:
                store(line)
            if "seq" in line:
                self.send({"type": "ack", "seq": line["seq"]})
            if "end" in line:
                return line["end"]
            if line["type"] in ("released", "error"):
                raise WorkerEnded(line.get("message", "the worker has released the row"))
