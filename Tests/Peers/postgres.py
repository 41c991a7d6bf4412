"""Starts a PostgreSQL server of Debian's package for the tests of this folder."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from emulator import PATIENCE

PROGRAMS = pathlib.Path("/usr/lib/postgresql")


class Postgres:
    """A server in a folder of its own that is reached by a socket in it, from `with` to the end of it."""

    def __init__(self):
        versions = [found for found in PROGRAMS.glob("*/bin/initdb") if found.parts[-3].isdigit()]
        if not versions:
            raise RuntimeError("Debian's package postgresql is missing: make setup-tests")
        self.programs = max(versions, key=lambda found: int(found.parts[-3])).parent
        # The path of a socket is short.
        self.folder = tempfile.mkdtemp(prefix="luath-pg-", dir="/tmp")
        self.data = f"{self.folder}/data"
        try:
            if os.geteuid() == 0:
                shutil.chown(self.folder, "postgres")
            self._call(
                "initdb", "-D", self.data, "-U", "luath", "--auth=trust", "--encoding=UTF8",
                "--locale=C", "--no-sync")
            self.start()
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        # Ends the server with this process, whatever ends it: the pipe is then closed.
        stop = " ".join(self.command("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop"))
        self.watcher = subprocess.Popen(
            ["/bin/sh", "-c", f"read -r line; {stop}; rm -rf {self.folder}"], cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watcher.stdin.close()
        self.watcher.wait(PATIENCE)

    def url(self, journal):
        """Where a journal is; the server is in one folder that only the test can enter."""
        return f"postgres://luath@/postgres?host={self.folder}#{journal}"

    def restart(self):
        """Ends the server as a crash does, and starts it again."""
        self._control("restart", "-m", "immediate")

    def stop(self):
        """Ends the server as a crash does."""
        self._control("stop", "-m", "immediate")

    def start(self):
        self._control("start")

    def _control(self, *arguments):
        # What the system has written survives a crash of the server without being synchronized.
        self._call(
            "pg_ctl", "-D", self.data, "-l", f"{self.folder}/data/log", "-w", "-o",
            f"-c fsync=off -c listen_addresses='' -c unix_socket_directories={self.folder}", *arguments)

    def command(self, name, *arguments):
        """A program of the package, with its arguments."""
        # It refuses to run as root.
        user = ["/usr/sbin/runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        return [*user, str(self.programs / name), *arguments]

    def _call(self, *arguments):
        # A server keeps what it is given as its output, so a pipe would never end.
        status = subprocess.run(
            self.command(*arguments), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False).returncode
        if status != 0:
            log = pathlib.Path(self.data, "log")
            words = log.read_text()[-2000:] if log.exists() else ""
            raise RuntimeError(f"{arguments[0]} ended with {status}\n{words}")
