"""Runs every code block of README.md and docs/, and compares what the pages say that comes out.

A block is run by its language: `lua` as a script, as journeys when it declares any; `sh` line by line. A
comment before it says what else it is, and the rest of the comment stands before the block's own text, or
around it where it has a line `...`:

    <!-- run: script -->            a script for luath run, with its output for the next `output` block
    <!-- run: journey -->           journeys for luath test
    <!-- run: project -->           a project file
    <!-- run: file NAME -->         a file of the page, for what comes after it; .json and .lua must have valid syntax
    <!-- run: output -->            what the block before printed; a line … stands for any lines
    <!-- run: output ANSWER COMMAND -->   what a command prints that answers this
    <!-- run: sh ANSWER -->         commands, the last of which answers that
    <!-- run: prompt -->            what is typed at the prompt, after `1> `, and what it shows
    <!-- not run: REASON -->        for what cannot run here; the list of those is short

The commands of a page run as if they were typed one after the other in one terminal: a `cd` lasts until the next one.

A page has one folder, with the lessons of `scripts` in it, SOURCES is this repository, and if it names 127.0.0.1:9099 an emulator, which
answers at another port.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from emulator import PATIENCE, ROOT, Emulator, program

FENCE = re.compile(
    r"(?:^<!--\s*(?P<kind>run|not run):\s*(?P<words>[^\n]*?)\s*(?:-->|\n(?P<hidden>.*?)\n?-->)\s*\n+)?"
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^ *```[ ]*$", re.M | re.S)
UNRUN_LIMIT = 30
# What `make docs` leaves beside the pages. Readers on the web do not have it, so no page may link to it.
REFERENCE = ROOT / "docs/reference.md"


class Block:
    def __init__(self, page, text, match):
        self.page = page
        self.line = text[:match.start("language")].count("\n") + 1
        self.language = match["language"].strip()
        self.kind, self.words, self.hidden = match["kind"], match["words"] or "", match["hidden"] or ""
        indent = len(match["indent"])
        self.text = "".join(line[indent:] if line.strip() else "\n"
                            for line in match["text"].splitlines(keepends=True))

    @property
    def name(self):
        return f"{self.page}:{self.line}"

    def whole(self):
        before, mark, after = self.hidden.partition("\n...")
        if self.hidden.startswith("..."):
            before, mark, after = "", "...", self.hidden[3:]
        return (before + "\n" if before else "") + self.text + (after + "\n" if mark else "")

    def role(self):
        if self.kind == "run":
            return self.words.split()[0]
        if self.language == "lua":
            return "journey" if re.search(r"^journey\(", self.text, re.M) else "script"
        return {"sh": "sh"}.get(self.language, "")


def normal(text):
    """The text without what differs from run to run."""
    text = re.sub(r"127\.0\.0\.1:\d{4,5}", "127.0.0.1:PORT", text)
    text = re.sub(r"\bblock-\w+", "block", text)
    text = re.sub(r"\b[A-Za-z0-9]{28}\b", "UID", text)
    text = re.sub(r"\b[\d.]+ (ms|s)\b", "TIME", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "DATE", text)
    text = re.sub(r"^luath \d+\.\d+\.\d+$", "luath VERSION", text, flags=re.M)
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip().splitlines()]


def fits(wanted, given):
    """Whether the lines are as wanted; a line of … stands for any number of lines."""
    if not wanted:
        return not given
    if wanted[0] == "…":
        return any(fits(wanted[1:], given[start:]) for start in range(len(given) + 1))
    return bool(given) and wanted[0] == given[0] and fits(wanted[1:], given[1:])


class Page:
    def __init__(self, path):
        self.path = path.relative_to(ROOT)
        text = path.read_text(encoding="utf-8")
        self.blocks = [Block(self.path, text, match) for match in FENCE.finditer(text)]
        self.fences = len(re.findall(r"^ *```", text, re.M)) // 2
        self.passed, self.failures, self.unrun = 0, [], []

    def fail(self, block, words):
        self.failures.append(f"{block.name}: {words}")

    def check(self):
        if len(self.blocks) != self.fences:
            self.failures.append(f"{self.path}: {self.fences} fences and {len(self.blocks)} blocks")
        with tempfile.TemporaryDirectory(prefix="luath-docs-") as name:
            self.folder = pathlib.Path(name) / "project"
            self.folder.mkdir()
            # The lessons alone: luath test would find the repository's journeys below the folder.
            (self.folder / "scripts").mkdir()
            self.current = self.folder
            for lesson in (ROOT / "scripts").glob("*.lua"):
                (self.folder / "scripts" / lesson.name).symlink_to(lesson)
            self.tools = pathlib.Path(name) / "bin"
            self.tools.mkdir()
            (self.tools / "luath").symlink_to(program())
            (self.folder / "luath").symlink_to(program())
            runs = [block for block in self.blocks if block.kind != "not run"]
            if any("127.0.0.1:9099" in block.whole() for block in runs):
                with Emulator() as emulator:
                    self.play(emulator.host)
            else:
                self.play(None)
        return self

    def play(self, host):
        self.host, self.output = host, None
        for block in self.blocks:
            if block.kind == "not run":
                self.unrun.append(block)
                if len(block.words.split()) < 3:
                    self.fail(block, "no reason why it is not run")
                continue
            role = block.role()
            action = getattr(self, f"do_{role}", None) if role else None
            if action is None:
                self.fail(block, f"nothing says how to run {block.language or 'a block without language'}")
                continue
            before = len(self.failures)
            action(block)
            self.passed += len(self.failures) == before

    def place(self, text):
        return text.replace("127.0.0.1:9099", self.host) if self.host else text

    def shell(self, block, text, wanted):
        """Runs commands in the folder where the ones before have left the terminal."""
        place = self.tools / "place"
        self.run(block, ["bash", "-e", "-c", f"trap 'pwd >{place}' EXIT\n{text}"], wanted, self.current)
        if place.exists():
            self.current = pathlib.Path(place.read_text().rstrip("\n"))

    def run(self, block, command, wanted=0, folder=None):
        environment = {name: value for name, value in os.environ.items()
                       if name != "CI" and not name.startswith(("FIREBASE_", "LUATH_"))}
        environment |= {"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PATH": f"{self.tools}:{os.environ['PATH']}",
                        "ADA_PASSWORD": "correct horse", "SOURCES": str(ROOT)}
        began = time.monotonic()
        try:
            result = subprocess.run(
                command, cwd=folder or self.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return self.fail(block, "did not end")
        self.output = result.stdout
        if os.environ.get("TIMES"):
            print(f"{time.monotonic() - began:6.2f} s  {block.name}", file=sys.stderr)
        if result.returncode != wanted:
            self.fail(block, f"answers {result.returncode} instead of {wanted}\n{result.stdout[-1500:]}")

    def script(self, block, kind):
        path = self.folder / f"block-{block.line}{kind}.lua"
        path.write_text(self.place(block.whole()), encoding="utf-8")
        return path.name

    def do_script(self, block):
        words = block.words.split()
        wanted = int(words[1]) if len(words) > 1 else 0
        self.run(block, ["luath", "run", self.script(block, "")], wanted)

    def do_journey(self, block):
        self.run(block, ["luath", "test", self.script(block, "_journey")])

    def do_project(self, block):
        name = self.script(block, "-project")
        (self.folder / "empty.lua").write_text("")
        self.run(block, ["luath", "run", "--project", name, "empty.lua"])

    def do_file(self, block):
        path = self.folder / block.words.split()[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.place(block.whole()), encoding="utf-8")
        if path.suffix == ".json":
            try:
                json.loads(path.read_text())
            except ValueError as error:
                self.fail(block, f"it is not JSON: {error}")
        elif path.suffix == ".lua":
            done = subprocess.run(["luac5.4", "-p", path], capture_output=True, text=True, timeout=PATIENCE)
            if done.returncode != 0:
                self.fail(block, f"it is not Lua: {done.stderr}")

    def do_sh(self, block):
        words = block.words.split() if block.kind == "run" else []
        wanted = int(words[1]) if len(words) > 1 else 0
        self.shell(block, self.place(block.whole()), wanted)

    def do_prompt(self, block):
        """Lines after `1> `, `2> ` and so on are typed to the prompt, the others but `$ …` are what it shows."""
        lines = [re.sub(r"^\d+> ", "> ", line) for line in block.text.splitlines()]
        (self.folder / "typed").write_text("".join(line[2:] + "\n" for line in lines if line.startswith("> ")))
        self.run(block, ["sh", "-c", "luath repl <typed"])
        wanted = [line for line in lines if not line.startswith(("> ", "$ "))]
        if normal("\n".join(wanted)) != normal(self.output or ""):
            self.fail(block, f"the prompt shows otherwise:\n{self.output}")

    def do_output(self, block):
        words = block.words.split(maxsplit=2)
        if len(words) > 2:
            self.shell(block, self.place(words[2]), int(words[1]))
        if self.output is None:
            return self.fail(block, "nothing has run before it")
        wanted, given = normal(self.place(block.whole())), normal(self.output)
        if not fits(wanted, given):
            self.fail(block, "came out otherwise:\n" + "\n".join(f"    {line}" for line in given[:60]))


def errors_are_complete():
    """docs/errors.md is what Tools/error-page makes of the table of errors and its own texts."""
    with tempfile.TemporaryDirectory() as name:
        made = pathlib.Path(name) / "errors.md"
        result = subprocess.run(
            [program(), "run", str(ROOT / "Tools/error-page.lua"), "--", str(ROOT / "Tools/error-texts.lua"),
             str(made)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        if result.returncode != 0:
            return f"Tools/error-page.lua: {result.stdout}"
        if made.read_bytes() != (ROOT / "docs/errors.md").read_bytes():
            return "docs/errors.md differs from what Tools/error-page.lua makes: make docs"
    return None


def links_lead_somewhere(pages):
    """Links between the pages, also to headings, as GitHub and others name them."""
    def anchors(path):
        found = {}
        for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S), re.M):
            heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
            slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            count = found.get(slug, 0)
            found[slug] = count + 1
            yield slug if count == 0 else f"{slug}-{count}"
    wrong = []
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.exists() or there == REFERENCE:
                wrong.append(f"{page.relative_to(ROOT)}: no {target}")
            elif anchor and there.suffix == ".md" and anchor not in set(anchors(there)):
                wrong.append(f"{page.relative_to(ROOT)}: no heading {target}")
    return wrong


def main():
    wanted = sys.argv[1:]
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    # The reference is generated and not in git; ReferenceTests run its examples.
    paths = [path for path in paths if path != REFERENCE]
    chosen = [path for path in paths if not wanted or str(path.relative_to(ROOT)) in wanted]
    with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 2))) as pool:
        pages = list(pool.map(lambda path: Page(path).check(), chosen))
    passed, failed = sum(page.passed for page in pages), 0
    for page in pages:
        for failure in page.failures:
            failed += 1
            print(f"FAILED {failure}")
    unrun = [block for page in pages for block in page.unrun]
    for block in unrun:
        print(f"not run: {block.name}: {block.words}")
    if len(unrun) > UNRUN_LIMIT:
        failed += 1
        print(f"FAILED {len(unrun)} blocks are not run, more than {UNRUN_LIMIT}")
    if not wanted:
        for problem in [errors_are_complete(), *links_lead_somewhere(paths)]:
            passed += problem is None
            if problem:
                failed += 1
                print(f"FAILED {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
