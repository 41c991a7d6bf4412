"""Keeps the tasks of a plan and their records in SQLite, and carries out groups of rows.

LUATH_JOURNAL names the file, LUATH_COMMAND is the command of the worker, such as
`luath batch work --execute --target production`. For several machines, replace `Journal` by one with your database.
"""
import contextlib
import fcntl
import json
import os
import shlex
import sqlite3

from worker import Worker


class Journal:
    """Tasks, and for each row the records of the worker. A record is durable when `store` returns."""

    def __init__(self):
        self.path = os.environ["LUATH_JOURNAL"]
        self.base = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        self.base.execute("PRAGMA journal_mode = WAL")
        self.base.execute("PRAGMA synchronous = FULL")
        self.base.execute("CREATE TABLE IF NOT EXISTS tasks (row INTEGER PRIMARY KEY, team TEXT, line TEXT)")
        self.base.execute("CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, row INTEGER, line TEXT)")
        self.base.execute("CREATE INDEX IF NOT EXISTS records_of_row ON records (row)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.base.close()

    def load(self, lines):
        """Stores the lines of `luath batch tasks`, the first as row 0; the groups that have rows without an end."""
        self.base.execute("BEGIN")
        for line in lines:
            task = json.loads(line)
            self.base.execute(
                "INSERT OR IGNORE INTO tasks VALUES (?, ?, ?)", (task.get("row", 0), task.get("group"), line))
        self.base.execute("COMMIT")
        ended = """SELECT row FROM records WHERE line ->> '$.end' IS NOT NULL
                   AND id IN (SELECT max(id) FROM records GROUP BY row)"""
        return [team for (team,) in self.base.execute(
            f"SELECT team FROM tasks WHERE team IS NOT NULL AND row NOT IN ({ended}) GROUP BY team ORDER BY min(row)")]

    def hello(self):
        return json.loads(self.base.execute("SELECT line FROM tasks WHERE row = 0").fetchone()[0])

    def tasks(self, group):
        found = self.base.execute("SELECT line FROM tasks WHERE team = ? ORDER BY row", (group,))
        return [json.loads(line) for (line,) in found]

    def records(self, row):
        found = self.base.execute("SELECT line FROM records WHERE row = ? ORDER BY id", (row,))
        return [json.loads(line) for (line,) in found]

    def store(self, record):
        self.base.execute("INSERT INTO records (row, line) VALUES (?, ?)", (record["row"], json.dumps(record)))

    def end(self, row):
        """The end of a row, or None: a row that was released behind its end has not ended."""
        records = self.records(row)
        return records[-1].get("end") if records else None

    @contextlib.contextmanager
    def lock(self, group):
        """The locked file of the group, or None if somebody else works on it.

        The lock is over when all processes that have the file open have closed it or ended.
        """
        os.makedirs(f"{self.path}.locks", exist_ok=True)
        with open(f"{self.path}.locks/{group}", "w", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield file
            except BlockingIOError:
                yield None


def carry_out(group, alive=lambda: None):
    """Carries out the rows of a group that have not ended, one after the other; false if somebody else does."""
    with Journal() as journal, journal.lock(group) as lock:
        tasks = [task for task in journal.tasks(group) if journal.end(task["row"]) is None] if lock else []
        if not tasks:
            return lock is not None
        # Luath holds the lock too: if this process is killed, luath may still have a call under way.
        command = shlex.split(os.environ["LUATH_COMMAND"])
        with Worker(command, journal.hello(), keep=[lock.fileno()]) as worker:
            for task in tasks:
                row = task["row"]
                # The worker compares a field with the plan, unless the earlier row that changes it is done.
                done = [other for other in task.get("after", [])
                        if (journal.end(other) or {}).get("state") == "done"]
                worker.carry_out(task, journal.records(row), journal.store, alive, done=done)
        return True
