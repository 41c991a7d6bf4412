"""The prompt as a person has it: in tmux and other pseudo-terminals, screens compared, and every end of it."""
import contextlib
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE  # noqa: E402
from terminal import LUATH, Pane, Terminal as AnyTerminal  # noqa: E402


def Terminal(*arguments, **environment):
    """The prompt at a pseudo-terminal."""
    return AnyTerminal("repl", *arguments, **environment)


def joined(lines):
    """The rows of a text as one, without blanks, which a screen does not tell from emptiness."""
    return "".join(lines).replace(" ", "")


PROMPT = r"\x1b\[0;1m\d+> \x1b\[m"


class Editing(unittest.TestCase):
    """Keys and screens."""

    @classmethod
    def setUpClass(cls):
        cls.pane = Pane()
        cls.first = cls.pane.start()

    @classmethod
    def tearDownClass(cls):
        cls.pane.__exit__()

    def setUp(self):
        # What a test that failed left; the text between keeps two of these from leaving.
        self.pane.keys("C-g", "C-c")
        self.pane.type(f"'{self.id()}'", "Enter")
        self.pane.wait(lambda lines: len(lines) > 2 and lines[-1] == ">" and self.id() in "".join(lines[-3:]))
        self.pane.keys("C-l")
        self.pane.wait([">"])

    def test_a_text_with_wide_characters_is_edited_and_run(self):
        self.pane.type('#"漢字é"', "C-a", "M-f", "C-b", "x", "BSpace", "C-e", "Enter")
        self.pane.wait(['> #"漢字é"', "8", ">"])

    def test_a_block_is_one_text_and_one_entry_of_the_history(self):
        self.pane.type("for i = 1, 2 do", "Enter")
        self.pane.wait(lambda lines: lines[1:] == [">>"])
        self.pane.type("print(i)", "Enter")
        self.pane.type("end")
        self.pane.wait(["> for i = 1, 2 do", ">>   print(i)", ">> end"])
        self.pane.keys("Enter")
        first = self.pane.wait(lambda lines: lines[-3:] == ["1", "2", ">"])
        self.pane.keys("C-l", "Up")
        block = self.pane.wait(first[:3])
        self.pane.keys("Left", "C-p", "C-a", "M-d")
        self.pane.wait([block[0], block[1].replace("  print", ""), block[2]])
        self.pane.keys("C-_", "M->", "Enter")
        self.pane.wait(block + ["1", "2", ">"])

    def test_history_is_searched(self):
        # Between two texts the terminal itself would take Ctrl-R, and show what is typed ahead.
        self.pane.type("first_of_all = 1", "Enter")
        self.pane.wait(["> first_of_all = 1", ">"])
        self.pane.type("second = 2", "Enter")
        self.pane.wait(["> first_of_all = 1", "> second = 2", ">"])
        self.pane.keys("C-l", "C-r")
        self.pane.type("FIRST")
        self.pane.wait([">", "not found: FIRST"])
        self.pane.keys("C-g", "C-r")
        self.pane.type("first")
        self.pane.wait(["> first_of_all = 1", "search: first"])
        self.pane.keys("C-e")
        self.pane.type(" + 1", "Enter")
        self.pane.wait(["> first_of_all = 1 + 1", ">"])
        self.pane.type("first_of_all", "Enter")
        self.pane.wait(["> first_of_all = 1 + 1", "> first_of_all", "2", ">"])
        self.pane.type("sec", "Up")
        self.pane.wait(lambda lines: lines[-1] == "> second = 2")

    def test_what_is_recalled_runs_with_its_password_and_without_it_in_the_next_session_not_at_all(self):
        self.pane.type("password = 'hunter2hunter2'", "Enter")
        self.pane.wait(["> password = 'hunter2hunter2'", ">"])
        self.pane.type("password = 'x'", "Enter")
        self.pane.wait(["> password = 'hunter2hunter2'", "> password = 'x'", ">"])
        self.pane.keys("C-l", "Up", "Up", "Enter")
        self.pane.wait(["> password = 'hunter2hunter2'", ">"])
        self.pane.type("#password", "Enter")
        self.pane.wait(["> password = 'hunter2hunter2'", "> #password", "14", ">"])
        self.pane.keys("C-d")
        self.pane.wait(lambda lines: lines[-1:] == ["$"])
        self.pane.start()
        self.pane.type("own = '…'", "Enter")
        self.pane.wait(["> own = '…'", ">"])
        self.pane.type("pass", "Up", "Enter")
        self.pane.wait([
            "> own = '…'", '> password = "‹secret removed›"',
            "error: this entry did not run: it is from the history, which", " keeps no secrets",
            "  hint: put the secret in the place of ‹secret removed›", ">"])
        self.pane.type("_G.password, own", "Enter")
        self.pane.wait(lambda lines: lines[-4:] == ["> _G.password, own", "nil", '"…"', ">"])

    def test_tab_offers_codes_and_what_a_call_would_give(self):
        self.pane.type("_err.code == ", "Tab")
        self.pane.wait(lambda lines: len(lines) > 1 and lines[0] == "> _err.code ==" and '"invalid' in lines[1])
        self.pane.keys("C-g")
        self.pane.type('"weakP', "Tab")
        self.pane.wait(lambda lines: lines == ['> _err.code == "weakPassword"'])
        self.pane.keys("C-c")
        self.pane.type('("x"):upp', "Tab")
        self.pane.type("()", "Enter")
        self.pane.wait(lambda lines: lines[-3:] == ['> ("x"):upper()', '"X"', ">"])

    def test_tab_completes_and_offers(self):
        self.pane.type("thing = { alpha = 1, alphabet = 2, beta = 3 }", "Enter")
        self.pane.keys("C-l")
        self.pane.type("thing.b", "Tab")
        self.pane.wait(["> thing.beta"])
        self.pane.keys("C-u")
        self.pane.type("thing.a", "Tab")
        self.pane.wait(["> thing.alpha"])
        self.pane.keys("Tab")
        offered = self.pane.wait(lambda lines: len(lines) == 3)
        self.assertRegex(offered[1], "^> alpha( |$)")
        self.assertRegex(offered[2], "^  alphabet( |$)")
        self.pane.keys("Tab", "Enter")
        self.pane.wait(["> thing.alphabet"])
        self.pane.keys("Enter")
        self.pane.wait(["> thing.alphabet", "2", ">"])

    def test_tab_offers_parameters_and_scopes_of_a_provider(self):
        self.pane.type('p = provider "microsoft.com"', "Enter")
        self.pane.keys("C-l")
        self.pane.type("p.customParameters = { dom", "Tab")
        self.pane.wait(["> p.customParameters = { domain_hint ="])
        self.pane.keys("C-u")
        self.pane.type('p.scopes = { "cal', "Tab")
        self.pane.wait(['> p.scopes = { "calendars.read'])

    def test_the_first_lines_say_what_it_is_and_how_to_begin(self):
        version, step = self.first[-4:-2]
        self.assertRegex(version, r"^luath \d+\.\d+\.\d+ at the emulator inside luath, project demo-luath$")
        self.assertTrue(step.startswith("first step: "))
        self.pane.type(step.removeprefix("first step: ") + ".user.email", "Enter")
        self.pane.wait(lambda lines: lines[-2:] == ['"ada@contoso.example"', ">"])

    def test_entries_have_numbers_and_their_lines_are_aligned(self):
        # The number of entries before this test is anything.
        number = int(re.match(r"(\d+)>$", self.pane.numbered()[-1])[1])
        self.pane.type("do", "Enter")
        self.pane.type("local _ = 1", "Enter")
        self.pane.type("end", "Enter")
        arrows = ">" * (len(str(number)) + 1)
        self.pane.wait(lambda lines: lines[-1] == ">" and len(lines) == 4)
        self.assertEqual(
            self.pane.numbered(), [f"{number}> do", f"{arrows}   local _ = 1", f"{arrows} end", f"{number + 1}>"])
        self.pane.keys("C-l")
        self.pane.type(".history 1", "Enter")
        self.pane.wait(lambda lines: lines[-1] == ">" and len(lines) == 5)
        self.assertEqual(self.pane.numbered()[1], f"{number}  do")

    def test_a_long_value_is_shortened_and_show_prints_all_of_it(self):
        self.pane.type('("x"):rep(2100) .. "end"', "Enter")
        self.pane.wait(lambda lines: lines[-2:] == ["(shortened; .show prints all of it)", ">"])
        self.pane.keys("C-l")
        self.pane.type(".show", "Enter")
        self.pane.wait(lambda lines: lines[-2:-1] == ['xend"'])

    def test_a_paste_runs_nothing_until_return(self):
        self.pane.paste("function twice(x)\n  return 2 * x\nend\ntwice(21)")
        self.pane.wait(["> function twice(x)", ">>   return 2 * x", ">> end", ">> twice(21)"])
        self.pane.keys("C-u", "BSpace", "Enter")
        self.pane.type("twice(21)", "Enter")
        self.pane.wait(lambda lines: lines[-3:] == ["> twice(21)", "42", ">"])

    def test_a_binary_paste_is_spelled_out(self):
        # tmux itself keeps NUL out of its buffers.
        self.pane.paste("--\x1b[2J\x07\x01\u202e\u200b\u009b\x1b]0;x\x07\x7f")
        self.pane.wait(["> --^[[2J^G^A<U+202E><U+200B><U+009B>^[]0;x^G^?"])

    def test_ten_thousand_pasted_lines_are_one_text(self):
        lines = "\n".join(f"  total = total + {n}" for n in range(1, 10_001))
        self.pane.paste("total = 0\ndo\n" + lines + "\nend")
        self.pane.wait(lambda lines: lines[-1:] == [">> end"] and len(lines) == 16)
        self.pane.keys("Enter")
        self.pane.type("total", "Enter")
        self.pane.wait(lambda lines: lines[-3:] == ["> total", "50005000", ">"])

    def test_a_terminal_that_changes_its_size_shows_the_text_once(self):
        text = "x = { 'aaaaaaaa', 'bbbbbbbb', 'cccccccc' }"
        self.pane.type(text)
        self.pane.wait(["> " + text])
        end = 20 - len(re.match(r"\d+> ", self.pane.numbered()[-1])[0])
        try:
            self.pane.resize(20, 16)
            self.pane.wait(["> " + text[:end].rstrip(), text[end:end + 20].rstrip(), text[end + 20:]])
            self.pane.resize(10, 16)
            self.pane.wait(lambda lines: joined(lines) == joined(["> ", text]) and len(lines) == 5)
            self.pane.type("z")
            self.pane.wait(lambda lines: joined(lines) == joined(["> ", text, "z"]))
        finally:
            self.pane.resize(60, 16)
        self.pane.wait(["> " + text + "z"])

    def test_ctrl_c_drops_the_text_and_stops_what_runs(self):
        self.pane.type("never run this", "C-c")
        self.pane.wait(lambda lines: lines[0] == "> never run this" and lines[-1] == ">")
        self.pane.keys("C-l")
        # Its own line tells that it runs, before which the prompt gives the terminal its modes back.
        self.pane.type("print 'runs' while true do end", "Enter")
        self.pane.wait(["> print 'runs' while true do end", "runs"])
        self.pane.keys("C-c")
        self.pane.wait(lambda lines: lines[-1] == ">" and "interrupted" in "".join(lines))
        self.pane.keys("C-l")
        self.pane.type("1 + 1", "Enter")
        self.pane.wait(["> 1 + 1", "2", ">"])

    def test_ctrl_z_leaves_the_shell_its_terminal_and_goes_on(self):
        self.pane.type("1 + ", "C-z")
        self.pane.wait(lambda lines: lines[-1] == "$" and "Stopped" in "".join(lines))
        self.pane.type("stty -a | grep -c ' icanon'", "Enter")
        self.pane.wait(lambda lines: lines[-2:] == ["1", "$"])
        self.pane.type("fg", "Enter")
        self.pane.wait(lambda lines: lines[-1] == "> 1 +")
        self.pane.type("1", "Enter")
        self.pane.wait(lambda lines: lines[-3:] == ["> 1 + 1", "2", ">"])

    def test_tasks_print_above_the_text(self):
        sign = pathlib.Path(self.pane.home.name) / "sign"
        self.pane.type("waiting = task.spawn(function()", "Enter")
        self.pane.type(f"while not io.open('{sign}') do task.sleep(0.02) end", "Enter")
        self.pane.type("print('from a task')", "Enter")
        self.pane.type("end)", "Enter")
        self.pane.wait(lambda lines: lines[-1] == ">" and len(lines) > 4)
        self.pane.keys("C-l")
        self.pane.type("1 + ")
        self.pane.wait(["> 1 +"])
        sign.touch()
        self.pane.wait(["from a task", "> 1 +"])
        self.pane.type("2", "Enter")
        self.pane.wait(["from a task", "> 1 + 2", "3", ">"])


class Ends(unittest.TestCase):
    """How the prompt is left, and what it leaves behind."""

    def test_signals_end_it_with_the_modes_as_they_were(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV):
            with self.subTest(number), Terminal() as terminal:
                terminal.send("do\r")
                terminal.wait(">> ")
                self.assertNotEqual(termios.tcgetattr(terminal.slave), terminal.before)
                terminal.process.send_signal(number)
                status, restored = terminal.end()
                self.assertIsNotNone(status)
                self.assertTrue(restored)
                self.assertIn(b"\x1b[?2004l", terminal.output)

    def test_a_signal_while_an_editor_is_open_leaves_no_file_of_it(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with (self.subTest(number), tempfile.TemporaryDirectory() as folder,
                  Terminal(TMPDIR=folder, VISUAL="sh -c 'echo OPEN; cat'") as terminal):
                # It stays open until the terminal is gone.
                terminal.wait(PROMPT)
                terminal.send(".edit\r")
                terminal.wait("OPEN")
                self.assertEqual(len(os.listdir(folder)), 1)
                terminal.process.send_signal(number)
                status, _ = terminal.end()
                self.assertEqual(status, -number)
                self.assertEqual(os.listdir(folder), [])

    def test_scripts_and_keys_end_it_with_the_modes_as_they_were(self):
        for keys, expected in (("os.exit(3)\r", 3), ("\x04", 0), ("\x03\x03", None), (".quit\r", 0),
                               ("exit()\r", 0), ("quit\r", 0)):
            with self.subTest(keys), Terminal() as terminal:
                terminal.wait(PROMPT)
                terminal.send(keys)
                status, restored = terminal.end()
                self.assertTrue(restored)
                if expected is None:
                    self.assertIsNotNone(status)
                else:
                    self.assertEqual(status, expected)

    def test_half_a_line_and_the_end_of_the_terminal_end_it(self):
        with Terminal() as terminal:
            end = terminal.wait(PROMPT)
            terminal.send("half (\x04")
            terminal.wait("\x07", end)
            os.close(terminal.master)
            self.assertIsNotNone(terminal.process.wait(PATIENCE))

    def test_the_history_is_for_its_user_alone_and_holds_no_secrets(self):
        with Terminal() as terminal:
            at = terminal.wait(PROMPT)
            terminal.send("password = 'hunter2hunter2'\r")
            at = terminal.wait(PROMPT, at)
            terminal.send("do\ra = 1\rend\r\x04")
            self.assertEqual(terminal.end(), (0, True))
            files = [file for file in pathlib.Path(terminal.home.name).rglob("*") if file.is_file()]
            self.assertEqual([file.name for file in files], ["history"])
            self.assertEqual(stat.S_IMODE(files[0].stat().st_mode), 0o600)
            kept = files[0].read_text()
            self.assertNotIn("hunter2", kept)
            self.assertRegex(kept, r"(?m)^do\\n *a = 1\\n *end$")


    def test_passwords_of_test_users_are_shown_and_reach_no_file(self):
        with Terminal() as terminal:
            at = terminal.wait(PROMPT)
            terminal.send(".people\r")
            at = terminal.wait(r"ada@contoso\.example +luath-demo +all providers", at)
            at = terminal.wait(PROMPT, at)
            terminal.send("print('luath-demo')\r")
            at = terminal.wait(r"\[password 1\]", at)
            at = terminal.wait(PROMPT, at)
            terminal.send(f".save {terminal.home.name}/saved.lua\r")
            at = terminal.wait("written to", at)
            # Until the prompt is back, the terminal is not in its mode, and Ctrl-D is lost.
            terminal.wait(PROMPT, at)
            terminal.send("\x04")
            self.assertEqual(terminal.end(), (0, True))
            for name in ("saved.lua", ".local/state/luath/history"):
                self.assertNotIn("luath-demo", (pathlib.Path(terminal.home.name) / name).read_text())


class Plain(unittest.TestCase):
    """Without a terminal that moves its cursor."""

    def test_a_dumb_terminal_gets_no_escape_codes(self):
        with Terminal(TERM="dumb") as terminal:
            at = terminal.wait("> ")
            terminal.send("for i = 1, 2 do\n")
            at = terminal.wait(">> ", at)
            terminal.send("print(i)\nend\n")
            at = terminal.wait("1\r\n2\r\n\\d+> ", at)
            terminal.send("1 +\x03")
            at = terminal.wait("> ", at)
            terminal.send("2 + 2\n")
            terminal.wait("4\r\n\\d+> ", at)
            self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
            terminal.send("\x04")
            self.assertEqual(terminal.end(), (0, True))
            self.assertNotIn(b"\x1b", terminal.output)

    def test_a_pipe_gets_results_alone(self):
        done = subprocess.run(
            [LUATH, "repl"], input="x = 20\nfunction f()\n  return x + 1\nend\nf() * 2\n'half", text=True,
            capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "42\n")
        self.assertIn("unfinished string", done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("\x1b", done.stderr)

    def test_nobody_who_reads_the_results_ends_it(self):
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [LUATH, "repl"], stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.DEVNULL)
        os.close(writing)
        os.close(reading)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"('x'):rep(100)\n" * 10_000)
            process.stdin.close()
        self.assertIsNotNone(process.wait(PATIENCE))

    def test_no_color_is_heeded(self):
        with Terminal(NO_COLOR="1") as terminal:
            at = terminal.wait(r"K\d+> ")
            terminal.send("local x = 'y'\r")
            terminal.wait(r"K\d+> ", at)
            self.assertNotRegex(terminal.output, rb"\x1b\[[0-9;]+m")


if __name__ == "__main__":
    sys.exit(checks.run([Editing, Ends, Plain], "prompt"))
