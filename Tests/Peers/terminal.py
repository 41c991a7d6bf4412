"""Terminals for the tests of this folder: a tmux with a shell, and a pseudo-terminal with one program."""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import time

from emulator import PATIENCE, program

LUATH = pathlib.Path(program()).resolve()


class Pane:
    """A shell in a tmux of its own, with nobody's settings."""

    def __init__(self, columns=60, rows=16, **environment):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.socket = f"luath-{os.getpid()}-{id(self)}"
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith(("XDG_", "TMUX", "FIREBASE", "GOOGLE"))}
        self.environment = {
            **clean, "HOME": self.home.name, "LUATH": str(LUATH), "LC_ALL": "C.UTF-8",
            "PATH": f"{LUATH.parent}:{clean['PATH']}", **environment}
        self.environment.pop("NO_COLOR", None)
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "bash --norc --noprofile")
        # A shell of root takes no PS1 from its environment.
        self.wait(lambda lines: lines)
        self.type("PS1='$ '; clear", "Enter")
        self.wait(["$"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")
        self.home.cleanup()

    def tmux(self, *arguments, **settings):
        return subprocess.run(
            ["tmux", "-u", "-L", self.socket, "-f", "/dev/null", *arguments], capture_output=True,
            text=True, env=self.environment, timeout=PATIENCE, **settings).stdout

    def start(self):
        """Starts the prompt, and has it on an empty screen; returns the screen before."""
        self.type("luath repl", "Enter")
        first = self.wait(lambda lines: lines[-1:] == [">"])
        self.keys("C-l")
        self.wait([">"])
        return first

    def type(self, text, *keys):
        if text:
            self.tmux("send-keys", "-l", text)
        self.keys(*keys)

    def keys(self, *keys):
        if keys:
            self.tmux("send-keys", *keys)

    def paste(self, text):
        """Pastes as a terminal does that knows where pastes begin and end."""
        self.tmux("load-buffer", "-", input=text)
        self.tmux("paste-buffer", "-p", "-r")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def numbered(self, *options):
        lines = [line.rstrip() for line in self.tmux("capture-pane", "-p", *options).split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def lines(self, *options):
        """The screen without the numbers of entries: `12> x` as `> x`, and `>>> y` as `>> y`."""
        lines = (re.sub(r"^\d+>( |$)", r">\1", line) for line in self.numbered(*options))
        return [re.sub(r"^>>>+( |$)", r">>\1", line) for line in lines]

    def wait(self, expected, *options):
        """Waits until the screen is as it should be, and fails with what it was instead."""
        fits = expected if callable(expected) else lambda lines: lines == expected
        limit = time.monotonic() + PATIENCE
        while not fits(lines := self.lines(*options)):
            if time.monotonic() > limit:
                wanted = "" if callable(expected) else "\ninstead of\n" + "\n".join(expected)
                raise AssertionError("the screen is\n" + "\n".join(lines) + wanted)
            # Not for luck: only so that asking does not take the processor from who is asked.
            time.sleep(0.01)
        return lines


class Terminal:
    """A command of luath at a pseudo-terminal, for what tmux does not tell: modes, raw bytes, wait status."""

    def __init__(self, *arguments, folder=None, **environment):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith(("XDG_", "FIREBASE", "GOOGLE", "NO_COLOR"))}
        self.process = subprocess.Popen(
            [str(LUATH), *map(str, arguments)], cwd=folder, stdin=slave, stdout=slave, stderr=slave,
            # Swift takes its time to tell of crashes.
            env={**clean, "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color", "HOME": self.home.name, **environment},
            preexec_fn=own_terminal)
        self.output = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for end in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(end)
        self.home.cleanup()

    def send(self, text):
        os.write(self.master, text.encode())

    def wait(self, pattern, start=0):
        """Waits until the output from a place on has a text; answers where that ends."""
        limit = time.monotonic() + PATIENCE
        while not (found := re.compile(pattern.encode(), re.S).search(self.output, start)):
            left = limit - time.monotonic()
            if left < 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"the output is {self.output!r}, without {pattern!r}")
            self.output += os.read(self.master, 65536)
        return found.end()

    def end(self):
        """The wait status, and whether the modes are as they were."""
        status = None
        limit = time.monotonic() + PATIENCE
        while status is None and time.monotonic() < limit:
            # The process may wait for its output to be taken.
            if select.select([self.master], [], [], 0.01)[0]:
                self.output += os.read(self.master, 65536)
            status = self.process.poll()
        restored = termios.tcgetattr(self.slave) == self.before
        # The system hands output on in its own time, also after the process has ended: all of it comes before this.
        last = b"<the end>"
        os.write(self.slave, last)
        while last not in self.output:
            self.output += os.read(self.master, 65536)
        self.output = self.output.replace(last, b"")
        return status, restored


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
