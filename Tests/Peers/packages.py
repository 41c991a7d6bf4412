"""Installs the program with Tools/install-tree and Tools/make-release, and uses what is there.

The Debian package is not made here: it wants the release build. `make check-deb` proves that one.
"""
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from emulator import PATIENCE, ROOT, program

passed = failed = 0


def check(good, words):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAILED {words}", flush=True)


def run(*command, **settings):
    return subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, **settings)


def check_pages(manual, compressed):
    """Whether every man page is where man looks for it, and with it every page that it names."""
    pages = {}
    for path in sorted(path for path in manual.rglob("*") if path.is_file()):
        name = path.relative_to(manual).as_posix()
        text = gzip.decompress(path.read_bytes()) if compressed else path.read_bytes()
        place = re.fullmatch(r"man([1-9])/([a-z-]+)\.(\1[a-z]*)" + (r"\.gz" if compressed else ""), name)
        check(place, f"{manual}: man does not look for {name}")
        if place:
            pages[place[2], place[3]] = text.decode().replace("\\-", "-")
    check({("luath", "1"), ("luath-test", "1"), ("luath", "3lua")} <= pages.keys(), f"{manual}: {sorted(pages)}")
    named = 0
    for page, text in pages.items():
        check("\n.SH SEE ALSO\n" in text, f"{manual}: {page} names no other page")
        for other in re.findall(r"^\.BR (\S+) \((\w+)\)", text, re.MULTILINE):
            named += 1
            check(other in pages, f"{manual}: {page} names {other}, which is not installed")
    check(named >= len(pages), f"{manual}: {named} pages are named by {len(pages)}")


def check_tree(share, compressed):
    check_pages(share / "man", compressed)
    zsh = "vendor-completions" if compressed else "site-functions"
    for path in ("bash-completion/completions/luath", f"zsh/{zsh}/_luath",
                 "fish/vendor_completions.d/luath.fish", "luath/meta/luath.auth.lua", "luath/stdlib/luath/expect.lua",
                 "doc/luath/README.md", "doc/luath/docs/tutorial.md", "doc/luath/scripts/07-merge.lua"):
        check((share / path).is_file() and (share / path).stat().st_size > 0, f"{share}: no {path}")
    page = (share / "doc/luath/docs/reference.md").read_text()
    check("### `auth:signIn(proof [, delegate])`" in page, f"{share}: no signatures in the reference")
    check(not list(share.rglob("*_spec.lua")), f"{share}: specs of the library are no part of it")
    wrong = [path for path in share.rglob("*") if path.stat().st_mode & 0o777 != (0o755 if path.is_dir() else 0o644)]
    check(not wrong, f"{share}: modes of {wrong[:3]}")


def main():
    with tempfile.TemporaryDirectory(prefix="luath-packages-") as name:
        folder = pathlib.Path(name)
        luath = program()

        result = run(ROOT / "Tools/install-tree", luath, folder / "one", "/opt/luath")
        check(result.returncode == 0, f"install-tree: {result.stdout}")
        installed = folder / "one/opt/luath"
        check_tree(installed / "share", compressed=False)
        check((installed / "bin/luath").stat().st_size < os.stat(luath).st_size, "the program is not stripped")
        merge = run(installed / "bin/luath", "run", installed / "share/doc/luath/scripts/07-merge.lua", cwd=folder)
        check("Merged: ada@contoso.example" in merge.stdout, f"the installed program: {merge.stdout}")
        for page in (["luath-test"], ["3lua", "luath"]):
            manual = run("man", "-M", installed / "share/man", "-w", *page)
            check(manual.returncode == 0, f"man {page}: {manual.stdout}")

        # By its bare name, as make gives it.
        (folder / "built").symlink_to(luath)
        result = run(ROOT / "Tools/install-tree", "built", folder / "two", "/usr", "--vendor", cwd=folder)
        check(result.returncode == 0, f"install-tree --vendor: {result.stdout}")
        share = folder / "two/usr/share"
        check_tree(share, compressed=True)
        rights = (share / "doc/luath/copyright").read_text()
        check("Apache-2.0" in rights and "Olivine Labs" in rights, "a licence is not in the copyright file")
        check(b"# Changelog" in gzip.decompress((share / "doc/luath/changelog.gz").read_bytes()), "no changelog")

        result = run(ROOT / "Tools/install-tree", folder / "missing", folder / "three", "/usr")
        check(result.returncode == 1 and "hint: make build" in result.stdout, f"no program: {result.stdout}")
        result = run(ROOT / "Tools/install-tree", luath, folder / "three", "usr/local")
        check(result.returncode == 2 and "PREFIX" in result.stdout, f"a relative PREFIX: {result.stdout}")
        check(not (folder / "three").exists(), "a refused installation left something")

        sums = []
        for _ in range(2):
            result = run(ROOT / "Tools/make-release", luath, folder / "dist")
            check(result.returncode == 0, f"make-release: {result.stdout}")
            archive = pathlib.Path(result.stdout.strip().splitlines()[-1])
            sums.append(hashlib.sha256(archive.read_bytes()).hexdigest())
        check(sums[0] == sums[1], "two archives of one program differ")
        told = (archive.parent / "SHA256SUMS").read_text()
        check(told == f"{sums[0]}  {archive.name}\n", f"the sums beside the archive: {told}")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="fully_trusted") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
        unpacked = folder / archive.name.removesuffix(".tar.gz")
        check((unpacked / "README.md").resolve().is_file(), "the archive's README leads nowhere")
        version = run(unpacked / "bin/luath", "--version")
        check(version.stdout.startswith("luath "), f"the unpacked program: {version.stdout}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
