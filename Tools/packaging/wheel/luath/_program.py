"""The program that the package has installed."""
import os
import pathlib
import shutil
import sysconfig


def program():
    """The path of the program: what LUATH names, else what was installed with this package, else the one in PATH."""
    named = os.environ.get("LUATH")
    if named:
        return named
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
               # Of `pip install --target`.
               pathlib.Path(__file__).resolve().parent.parent / "bin"]
    for folder in folders:
        candidate = pathlib.Path(folder, "luath")
        if os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("luath")
    if found:
        return found
    raise FileNotFoundError("luath is not installed: pip install it again, or set LUATH to the path of the program")
