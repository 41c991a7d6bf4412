"""The functions that scripts can call, read from the definitions that luath writes for editors."""
import dataclasses
import pathlib
import re
import subprocess
import tempfile

# What starts browsers or other programs, or is only for luath's own library.
LEFT_OUT = {"luath.webdriver", "luath.planner", "luath.runner", "luath.spec", "luath.batch", "luath.process"}
CLASSES_LEFT_OUT = {"Page", "PageElement", "Process"}
# These wait for a person.
FUNCTIONS_LEFT_OUT = {"ui.browser", "ui.paste", "ui.webdriver", "host.exit"}


@dataclasses.dataclass
class Function:
    """A function of a module (`module`, "f" or "Class.f") or a method of a class."""
    owner: str
    name: str
    parameters: list  # (name, type)
    gives: list       # types
    is_method: bool


def read(program):
    """The functions, and the fields of classes as pairs of class and name."""
    functions, fields = [], []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "__files", folder], check=True, stdin=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(folder, "meta").rglob("*.lua")):
            if path.stem in LEFT_OUT | CLASSES_LEFT_OUT:
                continue
            _read_file(path, functions, fields)
    return functions, fields


def _read_file(path, functions, fields):
    is_class = path.parent.name == "classes"
    parameters, gives = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"---@param (\S+) (.*)", line):
            parameters.append((found[1], _type(found[2])))
        elif found := re.match(r"---@return (.*)", line):
            gives.append(_type(found[1]))
        elif found := re.match(r"---@field (\w+)\??", line):
            if is_class:
                fields.append((path.stem, found[1]))
        elif found := re.match(r"function ([\w.]+)([.:])(\w+)\(", line):
            is_method = is_class and found[2] == ":"
            # The table of a module has the module's last word for a name.
            inner = found[1].split(".")[1:]
            name = ".".join([*inner, found[3]])
            if f"{path.stem.split('.')[-1]}.{name}" not in FUNCTIONS_LEFT_OUT:
                functions.append(Function(path.stem, name, parameters, gives, is_method))
            parameters, gives = [], []
        elif not line.startswith("---"):
            parameters, gives = [], []


def _type(text):
    """The type at the beginning of an annotation, before its description."""
    depth, end = 0, len(text)
    for index, letter in enumerate(text):
        depth += (letter in "({<[") - (letter in ")}>]")
        if letter == " " and depth == 0 and not text[:index].endswith((":", "|", ",")):
            end = index
            break
    return text[:end]
