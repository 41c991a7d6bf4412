"""Pauses of `luath test` and `luath run` at a pseudo-terminal: every way into one, and every way out."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE  # noqa: E402
from terminal import LUATH, Pane, Terminal  # noqa: E402

HEAD = """\
local actor <const> = require "luath.actor"
local auth <const> = require "luath.auth".auth()
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"
local luath <const> = require "luath"

"""

FAILING = HEAD + """\
journey("adds up", function(j)
  local sum = 1
  local user <const> = auth:createUser("ada@contoso.example", "correct horse").user
  j:step("checks the sum", function()
    expect.equal(sum, 2)
  end)
  expect.equal(user.email, "ada@contoso.example")
end)
"""

CALLING = HEAD + """\
local total = 40

journey("adds up", function(j)
  local sum = 1
  j:pause()
  expect.equal(sum + total, 42)
end)
"""

STEPPING = HEAD + """\
journey("three steps", function(j)
  j:step("one", function() end)
  j:step("two", function() end)
  j:step("three", function() end)
end)
"""

TASKS = HEAD + """\
local task <const> = require "luath.task"

journey("tasks", function(j)
  local function work(label)
    local who = label
    PAUSE
    print("done " .. who)
  end
  local all = {}
  for index, label in ipairs { "A", "B", "C" } do
    all[index] = task.spawn(work, label)
  end
  for _, one in ipairs(all) do
    one:await()
  end
end)
"""

HOOKS = HEAD + """\
journey.group("group", function()
  journey.beforeEach(function()
    local before = 7
    BEFORE
  end)

  journey.afterEach(function()
    local after = 8
    AFTER
  end)

  journey("body", function() end)
end)
"""

# The prompt of an entry, in bold.
PROMPT = r"\x1b\[0;1m\d+> \x1b\[m"


class Pauses(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name, "sum_journey.lua")

    def start(self, text, *options, command="test", **environment):
        self.file.write_text(text)
        terminal = Terminal(
            command, *options, self.file.name, folder=self.folder.name, **environment)
        self.addCleanup(terminal.__exit__)
        return terminal

    def paused(self, terminal, words="", start=0):
        """Waits for a pause and its prompt; answers where that ends."""
        return terminal.wait(f"{words}.*lists all commands.*{PROMPT}", start)

    def enter(self, terminal, text, answer, at):
        """Types an entry, and waits for what it prints and the next prompt."""
        terminal.send(text + "\r")
        return terminal.wait(f"{answer}.*{PROMPT}", at)

    def ended(self, terminal, status):
        got, restored = terminal.end()
        self.assertEqual(got, status, terminal.output.decode(errors="replace"))
        self.assertTrue(restored, "the modes of the terminal")

    def test_a_failure_pauses_before_the_journey_is_cleaned_up(self):
        terminal = self.start(FAILING, "--pause")
        at = self.paused(
            terminal, r"expected: 2.*actual: 1.*paused after the failure at sum_journey.lua:11, in adds up > "
            r"checks the sum.*> 11 \|     expect.equal\(sum, 2\).*variables: expect, j, sum")
        at = self.enter(terminal, "sum", r"h1\r\n", at)
        at = self.enter(terminal, "j.name", "adds up", at)
        # The project is there: its user is signed in and can be read.
        at = self.enter(terminal, "auth.currentUser.email", "ada@contoso.example", at)
        at = self.enter(terminal, ".step", "has failed and has no next step", at)
        terminal.send(".continue\r")
        terminal.wait("1 failed", at)
        self.ended(terminal, 1)

    def test_a_corrected_file_runs_again(self):
        terminal = self.start(FAILING, "--pause")
        at = self.paused(terminal)
        self.file.write_text(FAILING.replace("sum = 1", "sum ="))
        terminal.send(".retry\r")
        # The prompt is there too where the file does not load, so that it can be corrected again.
        at = self.paused(terminal, r"unexpected symbol.*paused after the failure", at)
        self.file.write_text(FAILING.replace("sum = 1", "sum = 2"))
        terminal.send(".retry\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_a_journey_that_is_gone_fails(self):
        terminal = self.start(FAILING, "--pause")
        at = self.paused(terminal)
        self.file.write_text(FAILING.replace("adds up", "is renamed"))
        terminal.send(".retry\r")
        at = self.paused(terminal, "does not declare this journey", at)
        terminal.send(".continue\r")
        terminal.wait("1 failed", at)
        self.ended(terminal, 1)

    def test_a_call_pauses_with_variables_that_can_be_assigned(self):
        terminal = self.start(CALLING)
        at = self.paused(terminal, r"paused at sum_journey.lua:11, in adds up.*variables: expect, j, sum, total")
        at = self.enter(terminal, "total", r"h40\r\n", at)
        at = self.enter(terminal, "sum = 2", "", at)
        # What a session declares itself is a variable of the prompt only.
        at = self.enter(terminal, "local twice <const> = sum * 2", "", at)
        at = self.enter(terminal, "twice", r"h4\r\n", at)
        at = self.enter(terminal, "unknown.field", "unknown", at)
        terminal.send("\x04")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_an_assigned_upvalue_reaches_the_journey(self):
        terminal = self.start(CALLING)
        at = self.paused(terminal)
        at = self.enter(terminal, "total = 41", "", at)
        terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_the_time_of_a_pause_does_not_count(self):
        text = CALLING.replace('"adds up", ', '"adds up", { timeout = 1 }, ')
        terminal = self.start(text)
        at = self.paused(terminal)
        began = time.monotonic()
        # Longer than the limit: whatever the machine does, the pause has taken more than the journey may.
        while time.monotonic() - began < 1.5:
            at = self.enter(terminal, "sum = 2", "", at)
        terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_steps(self):
        terminal = self.start(STEPPING, "--step")
        at = self.paused(terminal, r'paused before the step "one" at sum_journey.lua:8, in three steps')
        terminal.send(".step\r")
        at = self.paused(terminal, r'before the step "two" at sum_journey.lua:9', at)
        terminal.send(".where\r")
        at = self.paused(terminal, r'before the step "two" at sum_journey.lua:9', at)
        terminal.send(".continue\r")
        at = terminal.wait("1 passed", at)
        self.assertNotIn(b"sum_journey.lua:10", terminal.output)
        self.ended(terminal, 0)

    def test_a_step_after_a_call(self):
        terminal = self.start(STEPPING.replace('  j:step("two"', '  luath.pause()\n  j:step("two"'))
        at = self.paused(terminal, r"paused at sum_journey.lua:9")
        terminal.send(".step\r")
        at = self.paused(terminal, r'paused before the step "two" at sum_journey.lua:10', at)
        terminal.send(".retry\r")
        at = self.paused(terminal, r"paused at sum_journey.lua:9", at)
        terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_abort_ends_the_run(self):
        for leave in (".abort\r", "\x03\x03", "os.exit(3)\r"):
            with self.subTest(leave):
                terminal = self.start(CALLING + 'journey("another", function() end)\n')
                self.paused(terminal)
                for key in leave if leave[0] == "\x03" else [leave]:
                    at = len(terminal.output)
                    terminal.send(key)
                    if key == "\x03":
                        terminal.wait("Ctrl-C again ends the run|interrupted", at)
                self.ended(terminal, 130)
                self.assertIn(b"1 interrupted", terminal.output)

    def test_ctrl_c_ends_an_entry_and_not_the_run(self):
        terminal = self.start(CALLING)
        at = self.paused(terminal)
        terminal.send('print "begun" while true do end\r')
        # The terminal has its own modes again while an entry runs.
        terminal.wait("hbegun", at)
        terminal.send("\x03")
        at = terminal.wait(f"interrupted.*{PROMPT}", at)
        at = self.enter(terminal, "sum = 2", "", at)
        terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_signals_end_it_with_the_modes_as_they_were(self):
        for number in (signal.SIGTERM, signal.SIGHUP) * 4:
            with self.subTest(number):
                terminal = self.start(CALLING)
                self.paused(terminal)
                terminal.process.send_signal(number)
                self.ended(terminal, 130)

    def test_the_end_of_the_terminal_ends_it(self):
        terminal = self.start(CALLING)
        self.paused(terminal)
        os.close(terminal.master)
        self.assertEqual(terminal.process.wait(PATIENCE), 130)

    def test_pauses_of_files_at_the_same_time_come_one_after_the_other(self):
        for number in range(3):
            pathlib.Path(self.folder.name, f"more{number}_journey.lua").write_text(FAILING)
        self.file.write_text(FAILING)
        terminal = Terminal("test", "--pause", "--jobs", "4", folder=self.folder.name)
        self.addCleanup(terminal.__exit__)
        at = 0
        for _ in range(4):
            at = self.paused(terminal, "paused after the failure", at)
            at = self.enter(terminal, "sum + 1", r"h2\r\n", at)
            terminal.send(".continue\r")
        terminal.wait("4 failed", at)
        self.ended(terminal, 1)

    def test_abort_ends_the_pauses_of_other_files_too(self):
        for number in range(3):
            pathlib.Path(self.folder.name, f"more{number}_journey.lua").write_text(FAILING)
        self.file.write_text(FAILING)
        for leave in (".abort\r", "\x03"):
            with self.subTest(leave):
                terminal = Terminal("test", "--pause", "--jobs", "4", folder=self.folder.name)
                self.addCleanup(terminal.__exit__)
                at = self.paused(terminal, "paused after the failure")
                if leave == "\x03":
                    terminal.send(leave)
                    terminal.wait("Ctrl-C again ends the run", at)
                terminal.send(leave)
                self.ended(terminal, 130)
                self.assertEqual(terminal.output.count(b"lists all commands"), 1)

    def test_pauses_of_tasks_come_one_after_the_other(self):
        terminal = self.start(TASKS.replace("PAUSE", "j:pause()"))
        at, seen = 0, set()
        for _ in range(3):
            at = self.paused(terminal, "paused at sum_journey.lua:12.*variables: j, label, who", at)
            # A task that went on may print before the answer.
            at = self.enter(terminal, "who", r'"[ABC]"\r\n', at)
            shown = terminal.output[:at].rsplit(b'"', 2)[1].decode()
            seen.add(shown)
            at = self.enter(terminal, f'who = "was {shown}"', "", at)
            terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.assertEqual(seen, {"A", "B", "C"})
        for label in seen:
            self.assertIn(f"done was {label}".encode(), terminal.output)
        self.ended(terminal, 0)

    def test_steps_of_tasks(self):
        text = TASKS.replace("PAUSE", 'j:step("step " .. label, function() task.sleep(0.01) end)')
        terminal = self.start(text, "--step")
        at, seen = 0, set()
        for _ in range(3):
            at = self.paused(terminal, r'paused before the step "step [ABC]"', at)
            shown = terminal.output[:at].rsplit(b'before the step "step ', 1)[1][:1].decode()
            seen.add(shown)
            at = self.enter(terminal, "who", f'"{shown}"\r\n', at)
            terminal.send(".step\r")
        terminal.wait("1 passed", at)
        self.assertEqual(seen, {"A", "B", "C"})
        self.ended(terminal, 0)
        terminal = self.start(text, "--step")
        at = self.paused(terminal)
        terminal.send(".continue\r")
        terminal.wait("1 passed", at)
        self.assertEqual(terminal.output.count(b"lists all commands"), 1)
        self.ended(terminal, 0)
        terminal = self.start(text, "--step")
        self.paused(terminal)
        terminal.send(".abort\r")
        self.ended(terminal, 130)
        self.assertEqual(terminal.output.count(b"lists all commands"), 1)

    def test_hooks_pause_with_their_variables(self):
        terminal = self.start(HOOKS.replace("BEFORE", "expect.equal(before, 1)").replace("AFTER", ""), "--pause")
        at = self.paused(terminal, "paused after the failure at sum_journey.lua:10.*variables: before, expect, j")
        at = self.enter(terminal, "before", r"h7\r\n", at)
        terminal.send(".continue\r")
        terminal.wait("1 failed", at)
        self.ended(terminal, 1)
        terminal = self.start(HOOKS.replace("BEFORE", "").replace("AFTER", "expect.equal(after, 1)"), "--pause")
        at = self.paused(terminal, "paused after the failure at sum_journey.lua:15.*variables: after, expect")
        at = self.enter(terminal, "after", r"h8\r\n", at)
        self.file.write_text(HOOKS.replace("BEFORE", "").replace("AFTER", ""))
        terminal.send(".retry\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_fixtures_and_soft_checks_pause_with_their_variables(self):
        fixture = HEAD + """\
local shop <const> = journey.fixture("shop", function()
  local goods = 3
  expect.equal(goods, 4)
end)

journey("body", function(j)
  local own = 5
  j:use(shop)
end)
"""
        terminal = self.start(fixture, "--pause")
        at = self.paused(terminal, "paused after the failure at sum_journey.lua:9")
        at = self.enter(terminal, "goods", r"h3\r\n", at)
        terminal.send(".continue\r")
        terminal.wait("1 failed", at)
        self.ended(terminal, 1)
        terminal = self.start(FAILING.replace("expect.equal(sum", "expect.soft.equal(sum"), "--pause")
        at = self.paused(terminal, "paused after the failure at sum_journey.lua:11.*variables: expect, j, sum")
        self.enter(terminal, "sum", r"h1\r\n", at)

    def test_what_is_typed_is_masked_in_reports(self):
        terminal = self.start(
            CALLING.replace("expect.equal(sum + total, 42)", 'print("total " .. tostring(total))\n  error "no"'))
        at = self.paused(terminal)
        at = self.enter(terminal, 'local password = "quite secret 99"; total = password', "", at)
        terminal.send(".continue\r")
        terminal.wait("1 failed", at)
        self.assertNotIn(b"total quite", terminal.output)
        self.assertRegex(terminal.output, rb"total \[(password|secret) 1\]")
        self.ended(terminal, 1)

    def test_output_at_a_pause_is_shown_and_that_of_tasks_recorded(self):
        text = CALLING.replace("  j:pause()\n", """\
  local task <const> = require "luath.task"
  local talks = true
  task.spawn(function()
    while talks do
      task.sleep(0.01)
    end
    print "a task ended"
  end)
  j:pause()
  task.sleep(0.05)
""")
        terminal = self.start(text)
        at = self.paused(terminal)
        at = self.enter(terminal, "total = 41", "", at)
        # Not `hwritten`, which the echo of the entry has.
        at = self.enter(terminal, 'io.write("wri" .. "tten\\n")', "written", at)
        at = self.enter(terminal, "j", "adds up", at)
        terminal.send("talks = false\r")
        at = terminal.wait("a task ended", at)
        terminal.send("\r.continue\r")
        terminal.wait(r"1 passed", at)
        self.ended(terminal, 0)
        report = terminal.output[terminal.output.rindex(b".continue"):]
        self.assertIn(b"a task ended", report)
        self.assertNotIn(b"written", report)

    def test_commands_are_completed_and_their_dots_are_missed(self):
        terminal = self.start(CALLING)
        at = self.paused(terminal)
        at = self.enter(terminal, "continue", r"begin with a dot.*hint: \.continue", at)
        at = self.enter(terminal, "sum = 2", "", at)
        terminal.send(".cont\t\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_what_the_journey_writes_keeps_the_places_of_failures(self):
        text = CALLING.replace("  expect.equal(sum + total, 42)", '  j:step("check", function()\n    expect.equal(sum, 2)\n  end)')
        terminal = self.start(text, "--pause")
        at = self.paused(terminal)
        at = self.enter(terminal, "sum", r"h1\r\n", at)
        at = self.enter(terminal, "type(j)", "table", at)
        at = self.enter(terminal, ".journey", "written to sum_journey.lua:12", at)
        terminal.send(".continue\r")
        # The line of the source that runs, although the file has two lines more by now.
        at = self.paused(terminal, r"sum_journey.lua:13: expected 2, got 1.*> 13 \|     expect.equal\(sum, 2\)", at)
        at = self.enter(terminal, "sum + 1", r"h2\r\n", at)
        at = self.enter(terminal, ".journey", "written to sum_journey.lua:15", at)
        self.assertIn('    expect.equal(sum + 1, 2)\n    expect.equal(sum, 2)\n', self.file.read_text())
        self.file.write_text("-- A line more.\n" + self.file.read_text())
        at = self.enter(terminal, "sum", r"h1\r\n", at)
        before = self.file.read_text()
        self.enter(terminal, ".journey", "has changed since it was read", at)
        self.assertEqual(self.file.read_text(), before)

    def test_a_watched_file_is_corrected_at_a_pause(self):
        terminal = self.start(FAILING, "--pause", "--watch")
        at = self.paused(terminal)
        self.file.write_text(FAILING.replace("sum = 1", "sum = 2"))
        # Some looks for changed files come meanwhile.
        for _ in range(20):
            at = self.enter(terminal, "sum", r"h1\r\n", at)
        terminal.send(".retry\r")
        terminal.wait("1 passed", at)
        terminal.wait("watching 1 file", at)

    def test_entries_are_written_into_the_journey(self):
        terminal = self.start(CALLING)
        at = self.paused(terminal)
        at = self.enter(terminal, "sum = sum + 1", "", at)
        at = self.enter(terminal, 'auth:createUser("bob@contoso.example", "quite secret")', "User", at)
        at = self.enter(terminal, "sum", r"h2\r\n", at)
        at = self.enter(terminal, ".journey", r"written to sum_journey.lua:12", at)
        at = self.enter(terminal, ".journey", "no entry has succeeded that is not in the file", at)
        at = self.enter(terminal, "total", r"h40\r\n", at)
        at = self.enter(terminal, ".journey", "written to sum_journey.lua:", at)
        text = self.file.read_text()
        self.assertIn("  j:pause()\n", text)
        self.assertIn("  sum = sum + 1\n", text)
        self.assertIn("  expect.equal(sum, 2)\n", text)
        self.assertIn("  expect.equal(total, 40)\n  expect.equal(sum + total, 42)\n", text)
        self.assertNotIn("quite secret", text)
        self.file.write_text(text.replace("  j:pause()\n", ""))
        terminal.send(".retry\r")
        terminal.wait("1 passed", at)
        self.ended(terminal, 0)

    def test_a_place_inside_a_statement_keeps_the_file(self):
        text = FAILING.replace("expect.equal(sum, 2)", "expect.equal(\n      sum +\n      nil, 2)")
        terminal = self.start(text, "--pause")
        at = self.paused(terminal)
        at = self.enter(terminal, "local more <const> = 1", "", at)
        self.enter(terminal, ".journey", "in the middle of a statement", at)
        self.assertEqual(self.file.read_text(), text)

    def test_a_script_pauses(self):
        text = 'local sum = 1\nrequire("luath").pause()\nprint("sum", sum)\n'
        terminal = self.start(text, command="run")
        at = self.paused(terminal, r"paused at sum_journey.lua:2.*variables: sum")
        at = self.enter(terminal, ".retry", "a script has no journey", at)
        at = self.enter(terminal, "sum = 7", "", at)
        terminal.send(".continue\r")
        terminal.wait(r"sum\t7|sum +7", at)
        self.ended(terminal, 0)
        terminal = self.start(text, command="run")
        self.paused(terminal)
        terminal.send(".abort\r")
        self.ended(terminal, 130)

    def test_a_pause_on_a_screen(self):
        self.file.write_text(STEPPING)
        with Pane(columns=100, rows=24) as pane:
            pane.type(f"cd {self.folder.name}; clear", "Enter")
            pane.wait(["$"])
            pane.type("luath test --step sum_journey.lua", "Enter")
            lines = pane.wait(lambda lines: lines[-1:] == [">"])
            self.assertIn('paused before the step "one" at sum_journey.lua:8, in three steps', lines)
            self.assertIn('>  8 |   j:step("one", function() end)', lines)
            # The name is completed as at any prompt.
            pane.type("j.na", "Tab", "Enter")
            pane.wait(lambda lines: lines[-3:] == ["> j.name", '"three steps"', ">"])
            pane.type(".continue", "Enter")
            pane.wait(lambda lines: lines[-1:] == ["$"] and any("1 passed" in line for line in lines))

    def test_secrets_are_masked_at_a_pause(self):
        terminal = self.start(FAILING.replace('"correct horse"', 'j:secret "correct horse"'), "--pause")
        at = self.paused(terminal)
        self.enter(terminal, '"the correct horse"', "the ", at)
        self.assertNotIn(b"correct horse", terminal.output.replace(b'"the correct horse"', b""))

    def test_without_a_terminal_nothing_runs(self):
        self.file.write_text(CALLING)
        for options, words in ((["--pause"], "needs a terminal"), (["--step"], "needs a terminal"),
                               (["--pause", "--step"], "exclude each other"),
                               (["--pause", "--dry-run"], "none can pause")):
            done = self.run_without_terminal(*options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        done = self.run_without_terminal()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("only at a terminal", done.stdout)

    def run_without_terminal(self, *options):
        return subprocess.run(
            [str(LUATH), "test", *options, self.file.name], cwd=self.folder.name,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)


if __name__ == "__main__":
    sys.exit(checks.run([Pauses], "pause"))
