"""What the tools that make packages share."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The Debian packages of the commands that a machine may lack.
PACKAGES = {"cc": "gcc", "git": "git", "ldd": "libc-bin", "readelf": "binutils", "strip": "binutils"}


def refuse(words, hint):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: {words}\n  hint: {hint}")


def output(*command):
    """What a command prints; ends the program if it fails."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
    except OSError as error:
        name = PACKAGES.get(words[0])
        refuse(f"cannot run {words[0]}: {error.strerror}",
               f"install it: apt-get install {name}" if name else "make setup installs what is needed")
    if "\n  hint: " in done.stderr and done.returncode != 0:
        sys.exit(done.stderr.strip())
    if done.returncode != 0:
        refuse(f"{words[0]} failed: {done.stderr.strip() or done.stdout.strip()}", "check the files that it names")
    return done.stdout.strip()


def commit_time():
    """The time of all packed files, in seconds: one commit gives one package, whenever it is packed."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(epoch)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True) \
        if shutil.which("git") else None
    return int(done.stdout) if done and done.returncode == 0 else int(time.time())


def program(path):
    """The absolute path of the program to pack."""
    binary = pathlib.Path(path).resolve()
    hint = "name luath's program, as make build leaves it: ./luath"
    try:
        done = subprocess.run([binary, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace")
    except OSError as error:
        refuse(f"{binary} cannot be run: {error.strerror}", hint)
    if done.returncode != 0 or not re.match(r"luath \d+\.\d+\.\d+\n", done.stdout):
        first = (done.stdout or done.stderr).partition("\n")[0]
        refuse(f"{binary} is not luath: its --version prints {first!r}", hint)
    return binary


def folder(path):
    """Makes a folder, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(f"cannot make the folder {path}: {error.strerror}", "name another folder")


def stripped(binary):
    """The program without symbols."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "luath")
        output("strip", "--strip-unneeded", "--remove-section=.comment", "-o", copy, binary)
        return copy.read_bytes()


def bill(binary, *packages):
    """The bill of materials of the program, and of Debian packages that are delivered with it."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "luath.spdx.json")
        output("Tools/make-sbom", binary, file, *packages)
        return file.read_bytes()


def libraries(binary):
    """The paths of all libraries that the program is linked with, the loader among them, by their names."""
    found = {}
    for line in output("ldd", binary).splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            found[match[1] or os.path.basename(match[2])] = match[2]
        elif "not found" in line:
            refuse(f"a library is missing: {line.strip()}", "make setup installs the libraries")
    return found


def owners(files):
    """The Debian packages of files, by file; those of no package are left out."""
    asked = {}
    for file in files:
        # dpkg has a file below /lib by the path with which it was packed.
        asked[str(file)] = asked[str(file).removeprefix("/usr")] = file
    done = subprocess.run(["dpkg", "--search", *asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = {}
    for line in done.stdout.splitlines():
        packages, _, path = line.partition(": ")
        if path in asked:
            found[asked[path]] = packages.split(":")[0]
    return found
