"""`luath exec` with many kinds of command: the exit code, what it prints, and that no process is left."""
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE  # noqa: E402
from terminal import LUATH, Pane, Terminal  # noqa: E402

# Every descendant inherits this variable, and so can be found after it has left its parents.
MARK = "LUATH_EXEC_TEST"

# Leaves its parents, its group and its session, closes its streams and ignores what it can.
DAEMON = """\
import os, signal, sys
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
ready, told = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.closerange(0, 3)
        os.write(told, b"x")
        while True:
            signal.pause()
    os._exit(0)
os.wait()
os.read(ready, 1)
sys.exit(11)
"""

# Children that are replaced as soon as they are asked to end.
BREEDER = """\
import os, signal, sys
def breed(*_):
    if os.fork() == 0:
        os.setsid()
        return
    os._exit(0)
ready, told = os.pipe()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, breed)
    os.write(told, b"x")
    while True:
        signal.pause()
os.read(ready, 1)
sys.exit(12)
"""

# Starts a process that stops, and ends.
STOPPED_CHILD = """\
import os, signal, sys
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
os.waitpid(child, os.WUNTRACED)
sys.exit(13)
"""


def sh(text):
    return ["sh", "-c", text]


def python(text):
    return [sys.executable, "-c", text]


# A command, its exit code, and what it prints.
ENDS = {
    "succeeds": (["true"], 0, b""),
    "fails": (sh("exit 3"), 3, b""),
    "exits with 255": (sh("exit 255"), 255, b""),
    "prints 10 MB": (sh("head -c 10000000 /dev/zero"), 0, b"\0" * 10_000_000),
    "reads stdin": (["cat"], 0, b"typed\n"),
    "leaves stdin unread": (sh("exit 4"), 4, b""),
    "closes its streams": (sh("exec <&- >&- 2>&-; exit 5"), 5, b""),
    "ends while children live": (sh("sleep 1000 & sleep 1000 & exit 6"), 6, b""),
    "leaves a child that ignores SIGTERM": (sh("(trap '' TERM; sleep 1000; sleep 1000) & exit 7"), 7, b""),
    "leaves a child in a session of its own": (sh("setsid sleep 1000 & exit 8"), 8, b""),
    "daemonises twice and ignores all signals": (python(DAEMON), 11, b""),
    "leaves children that replace themselves": (python(BREEDER), 12, b""),
    "leaves a stopped child": (python(STOPPED_CHILD), 13, b""),
    "is killed by SIGKILL": (sh("kill -KILL $$"), 137, b""),
    "is killed by SIGSEGV": (sh("ulimit -c 0; kill -SEGV $$"), 139, b""),
    "is killed by SIGTERM of its own": (sh("kill -TERM $$"), 143, b""),
    "becomes another program": (sh("exec sh -c 'exit 14'"), 14, b""),
    "ignores SIGHUP and leads a session": (["setsid", "-w", "sh", "-c", "exit 15"], 15, b""),
    "is a pipeline": (sh("yes | head -n 2"), 0, b"y\ny\n"),
    "has no interpreter line": (["./plain.sh", "16"], 16, b"plain\n"),
    "does not exist": (["no-such-program"], 127, b""),
    "does not exist at a path": (["./no-such-program"], 127, b""),
    "is not executable": (["./data.txt"], 126, b""),
    "is a folder": (["/"], 126, b""),
    "has an interpreter that does not exist": (["./lost.sh"], 126, b""),
    "is no program at all": (["./broken"], 126, None),
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.mark = uuid.uuid4().hex

    def start(self, *arguments, options=(), **settings):
        environment = {**os.environ, MARK: self.mark}
        environment.update(settings.pop("environment", {}))
        settings = {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
        process = subprocess.Popen(
            [str(LUATH), "exec", *map(str, options), "--", *map(str, arguments)], cwd=self.folder,
            env=environment, **settings)
        self.addCleanup(self.drop, process)
        return process

    @staticmethod
    def drop(process):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream and not stream.closed:
                stream.close()

    def end(self, process, code, given=None):
        """Waits for the end, and checks the exit code and that nothing is left."""
        output, errors = process.communicate(given, timeout=PATIENCE)
        self.assertEqual(process.returncode, code, (errors or b"").decode(errors="replace"))
        self.assertEqual(self.left(), [])
        return output, (errors or b"").decode(errors="replace")

    def left(self):
        """The command lines of the processes that have the variable of this test."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def wait_for_the_last(self):
        limit = time.monotonic() + PATIENCE
        while left := self.left():
            self.assertLess(time.monotonic(), limit, left)
            time.sleep(0.01)

    def wait_for_line(self, process, text):
        for line in process.stdout:
            if text in line.decode():
                return
        self.fail(f"it does not print {text}: {process.stderr.read().decode()}")


class Ends(Case):
    def test_every_kind_of_command_leaves_nothing(self):
        (self.folder / "plain.sh").write_text("echo plain\nexit $1\n")
        (self.folder / "lost.sh").write_text("#!/no/such/interpreter\n")
        (self.folder / "broken").write_bytes(b"\x7fELF\0\0broken")
        (self.folder / "data.txt").write_text("data")
        for name in ("plain.sh", "lost.sh", "broken"):
            (self.folder / name).chmod(0o755)
        for name, (command, code, printed) in ENDS.items():
            with self.subTest(name):
                process = self.start(*command, stdin=subprocess.PIPE)
                output, errors = self.end(process, code, b"typed\n")
                if printed is not None:
                    self.assertEqual(output, printed)
                if code in (126, 127):
                    self.assertRegex(errors, r"luath: error: .*\n  hint: ")
                print(f"    {name}: exit code {process.returncode}, 0 processes left")

    def test_the_arguments_arrive_as_they_are(self):
        arguments = ["--", "--port", "", "a b", "-h", "*", "$HOME", "\u00e9\n"]
        output, _ = self.end(
            self.start(*python("import json, sys; print(json.dumps(sys.argv[1:]))"), *arguments), 0)
        self.assertEqual(json.loads(output), arguments)

    def test_a_command_needs_no_dashes(self):
        process = subprocess.run(
            [str(LUATH), "exec", "sh", "-c", "exit $1", "sh", "9"], capture_output=True, timeout=PATIENCE)
        self.assertEqual(process.returncode, 9)

    def test_only_what_luath_inherited_is_inherited(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        os.set_inheritable(writer, True)
        look = "import os; print(sorted(int(name) for name in os.listdir('/proc/self/fd'))); "
        output, _ = self.end(
            self.start(*python(f"{look}os.write({writer}, b'through')"), pass_fds=[writer]), 0)
        os.close(writer)
        self.assertEqual(os.read(reader, 100), b"through")
        # The last one is the folder that is being listed.
        listed = json.loads(output)
        self.assertEqual(listed[:-1] if listed[-1] != writer else listed, sorted([0, 1, 2, writer, *(
            [] if listed[-1] != writer else [3])]))

    def test_the_signals_have_their_default_actions(self):
        output, _ = self.end(self.start("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"), 0)
        self.assertEqual(
            [int(line.split()[1], 16) & 0x3FFF_FFFF for line in output.decode().splitlines()], [0, 0])

    def test_nohup_reaches_the_command(self):
        process = self.start(
            *sh("kill -HUP $$; exit 10"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.end(process, 10)


class Signals(Case):
    def test_each_signal_is_forwarded_and_decides_the_code(self):
        for number, code in (
                (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131),
                (signal.SIGUSR1, 138), (signal.SIGUSR2, 140)):
            with self.subTest(number.name):
                process = self.start(*sh("ulimit -c 0; echo ready; exec sleep 1000"))
                self.wait_for_line(process, "ready")
                process.send_signal(number)
                self.end(process, code)

    def test_a_command_that_handles_the_signal_chooses_the_code(self):
        process = self.start(*python(textwrap.dedent("""\
            import signal, sys, time
            def end(*_):
                print("cleaned up")
                sys.exit(42)
            signal.signal(signal.SIGTERM, end)
            print("ready", flush=True)
            while True:
                signal.pause()
            """)))
        self.wait_for_line(process, "ready")
        process.send_signal(signal.SIGTERM)
        output, errors = self.end(process, 42)
        self.assertEqual(output, b"cleaned up\n")
        self.assertEqual(errors, "", "no requests are printed after a signal")

    def test_the_whole_group_receives_the_signal(self):
        process = self.start(*sh("sh -c 'trap \"echo child; exit 0\" TERM; echo ready; sleep 1000 & wait' & wait; exit 1"))
        self.wait_for_line(process, "ready")
        process.send_signal(signal.SIGTERM)
        output, _ = self.end(process, 143)
        self.assertIn(b"child", output)

    def test_a_command_that_ignores_the_signal_is_killed_in_time(self):
        process = self.start(
            *sh("trap '' TERM; echo ready; while :; do sleep 1000; done"), options=["--kill-after", "200ms"])
        self.wait_for_line(process, "ready")
        process.send_signal(signal.SIGTERM)
        _, errors = self.end(process, 143)
        self.assertIn("did not end after SIGTERM and was killed", errors)

    def test_a_second_signal_kills_at_once(self):
        process = self.start(
            *sh("trap '' INT TERM; echo ready; while :; do sleep 1000; done"), options=["--kill-after", "1h"])
        self.wait_for_line(process, "ready")
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        self.end(process, 130)

    def test_a_command_that_stops_itself_can_be_continued_and_ended(self):
        for number, code in ((signal.SIGCONT, 9), (signal.SIGTERM, 143)):
            with self.subTest(number.name):
                process = self.start(*sh("echo $$; kill -STOP $$; exit 9"))
                command = int(process.stdout.readline())
                # It is reported on the standard error when it has stopped.
                self.assertIn(b"kill -CONT", process.stderr.readline())
                if number == signal.SIGCONT:
                    os.kill(command, number)
                else:
                    process.send_signal(number)
                self.end(process, code)

    def test_luath_killed_takes_all_with_it(self):
        process = self.start(*sh("setsid sleep 1000 & echo ready; exec sleep 1000"))
        self.wait_for_line(process, "ready")
        process.kill()
        process.wait()
        self.wait_for_the_last()

    def test_the_supervisor_killed_takes_the_command_with_it(self):
        process = self.start(*sh("echo ready; exec sleep 1000"))
        self.wait_for_line(process, "ready")
        children = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        self.assertEqual(len(children), 1)
        os.kill(int(children[0]), signal.SIGKILL)
        process.wait(PATIENCE)
        self.assertEqual(process.returncode, 137)
        # The system kills the command a moment later.
        self.wait_for_the_last()


class Terminals(Case):
    def test_ctrl_c_reaches_the_command_once_and_luath_not(self):
        with Terminal("exec", "--", *sh("trap 'echo got it; exit 5' INT; echo ready; while :; do sleep 0.1; done")) as terminal:
            at = terminal.wait("ready")
            terminal.send("\x03")
            terminal.wait("got it", at)
            self.assertEqual(terminal.end(), (5, True))

    def test_ctrl_c_that_ends_the_command_ends_luath_like_it(self):
        with Terminal("exec", "--", *sh("echo ready; exec sleep 1000")) as terminal:
            terminal.wait("ready")
            terminal.send("\x03")
            self.assertEqual(terminal.end()[0], -signal.SIGINT)

    def test_the_command_can_read_the_terminal(self):
        with Terminal("exec", "--", *sh("read line; echo \"got $line\"; read line </dev/tty; echo \"then $line\"")) as terminal:
            terminal.send("one\n")
            at = terminal.wait("got one")
            terminal.send("two\n")
            terminal.wait("then two", at)
            self.assertEqual(terminal.end()[0], 0)

    def test_job_control(self):
        with Pane(columns=100, rows=30) as pane:
            def wait(text):
                pane.wait(lambda lines: any(re.search(text, line) for line in lines))
            pane.type(f"{shlex.quote(str(LUATH))} exec -- sh -c 'echo ready; read line; echo \"got $line\"; exit 3'", "Enter")
            wait("^ready")
            pane.keys("C-z")
            wait("Stopped")
            pane.type("jobs; echo shell is $((1 + 1))", "Enter")
            wait("^shell is 2")
            pane.type("fg", "Enter")
            pane.type("hello", "Enter")
            wait("^got hello")
            pane.type("echo code $?", "Enter")
            wait("^code 3")
            # With its output in a pipe, luath has the terminal, and the command gets it when it reads.
            pane.type("clear; luath exec -- sh -c 'read line </dev/tty; echo \"got $line\"' | cat; echo done", "Enter")
            pane.type("again", "Enter")
            wait("^got again")
            wait("^done")
            # A script that runs luath ends at Ctrl-C as well.
            pane.type("clear; bash -c 'while :; do luath exec -- sh -c \"echo ready; exec sleep 1000\"; done'", "Enter")
            wait("^ready")
            pane.keys("C-c")
            pane.wait(lambda lines: lines[-1:] == ["$"])
            pane.type("echo code $?", "Enter")
            wait("^code 130")
            # A pager keeps the terminal.
            pane.type("clear; luath exec -- echo shown | sh -c 'cat; read x </dev/tty; echo read $x'", "Enter")
            wait("^shown")
            pane.type("key", "Enter")
            wait("^read key")


class Emulators(Case):
    def test_the_variables_lead_to_the_emulator(self):
        output, _ = self.end(self.start(*python(textwrap.dedent("""\
            import json, os, urllib.request
            host = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
            print(urllib.request.urlopen(f"http://{host}/").status, os.environ["GCLOUD_PROJECT"])
            print(json.loads(os.environ["FIREBASE_CONFIG"])["projectId"])
            """))), 0)
        self.assertEqual(output, b"200 demo-luath\ndemo-luath\n")

    def test_a_failed_command_shows_its_requests_without_secrets(self):
        call = python(textwrap.dedent("""\
            import json, os, sys, urllib.error, urllib.request
            host = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
            url = f"http://{host}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=AIzaSyTheKeyIsSecret"
            for _ in range(2):
                body = json.dumps({"email": "ada@b.example", "password": "correct horse"}).encode()
                request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
                try:
                    print(json.load(urllib.request.urlopen(request))["idToken"])
                except urllib.error.HTTPError as error:
                    sys.exit(error.code == 400)
            """))
        output, errors = self.end(self.start(*call, options=["--log", "log.txt"]), 1)
        log = (self.folder / "log.txt").read_text()
        self.assertRegex(errors, r"^luath: the command exits with 1; its requests to the emulator:\n  POST ")
        self.assertEqual(len(errors.splitlines()), 3)
        self.assertEqual(len(log.splitlines()), 2)
        for text in (errors, log):
            self.assertIn("refused: EMAIL_EXISTS", text)
            for secret in ("correct horse", "AIzaSyTheKeyIsSecret", output.decode().strip()):
                self.assertNotIn(secret, text)
        self.assertEqual((self.folder / "log.txt").stat().st_mode & 0o777, 0o600)
        _, errors = self.end(self.start(*call, options=["--quiet"]), 1)
        self.assertEqual(errors, "")

    def test_it_waits_for_a_server_that_starts_late(self):
        server = textwrap.dedent("""\
            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                count = 0
                def do_GET(self):
                    Handler.count += 1
                    self.send_response(503 if Handler.count < 3 else 404)
                    self.end_headers()
                def log_message(self, *_):
                    pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """)
        with subprocess.Popen(python(server), stdout=subprocess.PIPE, text=True) as late:
            port = int(late.stdout.readline())
            process = self.start("echo", "started", options=["--wait-for", f"http://127.0.0.1:{port}/"])
            output, _ = self.end(process, 0)
            late.kill()
        self.assertEqual(output, b"started\n")
        process = self.start(
            "echo", "started", options=["--wait-for", f"http://127.0.0.1:{port}/", "--wait-timeout", "300ms"])
        output, errors = self.end(process, 6)
        self.assertEqual(output, b"")
        self.assertRegex(errors, r"did not become ready in time: .*\n  hint: ")

    def test_a_signal_before_the_command_ends_all(self):
        (self.folder / "seed.lua").write_text("print 'seeding' io.stdout:flush() require('luath.task').sleep(1000)")
        process = self.start("echo", "started", options=["--seed", "seed.lua"])
        self.wait_for_line(process, "seeding")
        process.send_signal(signal.SIGTERM)
        output, _ = self.end(process, 130)
        self.assertEqual(output, b"")


if __name__ == "__main__":
    sys.exit(checks.run([Ends, Signals, Terminals, Emulators], "exec"))
