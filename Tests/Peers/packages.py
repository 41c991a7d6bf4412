"""Installs the program with Tools/install-tree, makes an archive and a release, and uses what is there.

The release is made in a repository of its own, by a stand-in that reports the commit of that repository and is luath
otherwise. `make check-deb` proves the Debian package of the release build.
"""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from emulator import PATIENCE, ROOT, program

passed = failed = 0

# Reports the version and commit that it was compiled with, and starts luath for all else.
STAND_IN = r"""
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--version") == 0) return puts("luath " VERSION "\ncommit  " COMMIT) < 0;
  execv(LUATH, arguments);
  return 127;
}
"""
VERSION_FILE = "Sources/System/Version.swift"


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


def output(*command, **settings):
    """What a command prints; it must succeed."""
    result = run(*command, **settings)
    if result.returncode != 0:
        raise RuntimeError(f"{command}: {result.stdout}")
    return result.stdout.strip()


def sections(changelog):
    """The headings and lines of each section."""
    return [(part.splitlines()[0], part.splitlines()[1:]) for part in changelog.split("\n## ")[1:]]


def check_changelog(version):
    """Whether the first section is about this version, and all have the form that releases need."""
    found = sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    headings = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) (?:- \d{4}-\d\d-\d\d|\(unreleased\))", heading)
                for heading, _ in found]
    check(all(headings), f"the headings of CHANGELOG.md: {[heading for heading, _ in found]}")
    if not all(headings):
        return
    check(found[0][0].split()[0] == version, f"CHANGELOG.md begins with {found[0][0]}, the version is {version}")
    numbers = [tuple(int(part) for part in heading.groups()) for heading in headings]
    check(numbers == sorted(set(numbers), reverse=True), f"CHANGELOG.md: the order of {numbers}")
    check(not any("unreleased" in heading for heading, _ in found[1:]), "CHANGELOG.md: an old version is unreleased")
    for heading, lines in found:
        kinds = [line for line in lines if line.startswith("### ")]
        order = [kind for kind in ("### Added", "### Changed", "### Fixed") if kind in kinds]
        check(kinds and kinds == order, f"CHANGELOG.md: {heading} has {kinds}")


def check_version(version):
    """Whether the program, the changelog and the sources agree on the version, which is in one place only."""
    first = output(program(), "--version").splitlines()[0]
    check(first == f"luath {version}", f"the program reports '{first}', {VERSION_FILE} has {version}: build it again")
    check_changelog(version)
    number = re.compile(rf"(?<![\d.]){re.escape(version)}(?![\d.])|luath[ _-]v?\d+\.\d+\.\d+")
    paths = [ROOT / name for name in ("README.md", "Makefile", "Package.swift")]
    for folder in ("Sources", "stdlib", "scripts", "Tools", "docs"):
        paths += (ROOT / folder).rglob("*")
    found = [path.relative_to(ROOT).as_posix() for path in paths
             if path.is_file() and path.suffix != ".png" and path != ROOT / "docs/reference.md"
             and number.search(path.read_text(encoding="utf-8", errors="replace"))]
    check(found == [VERSION_FILE], f"the version of luath is in {found}")


def check_pages(manual, compressed, version):
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
        title = next((line for line in text.splitlines() if line.startswith(".TH ")), "")
        check(f"luath {version}" in title, f"{manual}: the title of {page} is {title}")
        check("\n.SH SEE ALSO\n" in text, f"{manual}: {page} names no other page")
        for other in re.findall(r"^\.BR (\S+) \((\w+)\)", text, re.MULTILINE):
            named += 1
            check(other in pages, f"{manual}: {page} names {other}, which is not installed")
    check(named >= len(pages), f"{manual}: {named} pages are named by {len(pages)}")


def check_tree(share, compressed, version):
    check_pages(share / "man", compressed, version)
    zsh = "vendor-completions" if compressed else "site-functions"
    for path in ("bash-completion/completions/luath", f"zsh/{zsh}/_luath",
                 "fish/vendor_completions.d/luath.fish", "doc/luath/luath.spdx.json", "luath/meta/luath.auth.lua", "luath/stdlib/luath/expect.lua",
                 "doc/luath/README.md", "doc/luath/docs/tutorial.md", "doc/luath/scripts/07-merge.lua"):
        check((share / path).is_file() and (share / path).stat().st_size > 0, f"{share}: no {path}")
    page = (share / "doc/luath/docs/reference.md").read_text()
    check("### `auth:signIn(proof [, delegate])`" in page, f"{share}: no signatures in the reference")
    for path in ("decisions", "tour.md", "threat-model.md", "releasing.md"):
        check(not (share / "doc/luath/docs" / path).exists(), f"{share}: {path} is for contributors")
    links = 0
    for page in (share / "doc/luath").rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", text):
            if not re.match(r"\w+:", link):
                links += 1
                check((page.parent / link).exists(), f"{page}: {link} is not installed")
    check(links > 100, f"{share}: the documents have {links} links")
    check(not list(share.rglob("*_spec.lua")), f"{share}: specs of the library are no part of it")
    wrong = [path for path in share.rglob("*") if path.stat().st_mode & 0o777 != (0o755 if path.is_dir() else 0o644)]
    check(not wrong, f"{share}: modes of {wrong[:3]}")


class Repository:
    """What a release is made from, committed in a repository of its own, with programs that report its commit."""

    def __init__(self, folder):
        self.folder, self.count = folder / "repository", 0
        for name in ("Tools", "docs", "scripts", "stdlib", "CHANGELOG.md", "LICENSE", "README.md", "luath.lua", ".gitignore",
                     VERSION_FILE):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.folder / name, ignore=shutil.ignore_patterns("reference.md", "*.png"))
            else:
                shutil.copy(ROOT / name, self.folder / name)
        self.git("init", "--quiet")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@contoso.example")
        self.commit()

    def git(self, *words):
        return output("git", "-C", self.folder, "-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false", *words)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change")

    def change(self, name, pattern, text):
        """Replaces what a pattern finds in a file, and commits it."""
        path = self.folder / name
        before = path.read_text(encoding="utf-8")
        after = re.sub(pattern, text, before, count=1, flags=re.M | re.S)
        check(after != before, f"{name} has nothing that looks like {pattern}")
        path.write_text(after, encoding="utf-8")
        self.commit()

    def program(self, version, note=""):
        """A program that was built from the present commit."""
        self.count += 1
        source = self.folder.parent / f"stand-in-{self.count}.c"
        source.write_text(STAND_IN)
        binary = source.with_suffix("")
        commit = self.git("rev-parse", "--short=12", "HEAD") + note
        words = {"VERSION": version, "COMMIT": commit, "LUATH": program()}
        output("cc", "-o", binary, *(f'-D{name}="{word}"' for name, word in words.items()), source)
        return binary

    def release(self, binary):
        return run(self.folder / "Tools/make-release", binary)


def checksums(folder):
    """What SHA256SUMS says of each file."""
    return {line[66:]: line[:64] for line in (folder / "SHA256SUMS").read_text().splitlines()}


def check_release(folder, version):
    """Whether only what is tagged, dated and built from the tag becomes a release, and what is in one."""
    repository = Repository(folder)
    dist = repository.folder / "dist"

    def refused(words, binary=None):
        result = repository.release(binary or program())
        check(result.returncode == 1 and words in result.stdout and "\n  hint: " in result.stdout,
              f"instead of '{words}': {result.stdout}")
        check(not dist.exists() or not list(dist.iterdir()), f"a refusal ({words}) left {list(dist.glob('*'))}")

    # The section is as it is before a release, whether or not this commit is one.
    unreleased = f"## {version} (unreleased)"
    changelog = repository.folder / "CHANGELOG.md"
    if unreleased not in changelog.read_text():
        repository.change("CHANGELOG.md", rf"^## {re.escape(version)} - [\d-]+$", unreleased)
    refused("has no tag")
    repository.git("tag", "v0.0.0")
    refused(f"is tagged v0.0.0, but its version is {version}")
    repository.git("tag", f"v{version}")
    refused(f"is tagged v0.0.0 and v{version}, but its version is {version}")
    repository.git("tag", "--delete", "v0.0.0")
    refused(f"the section has no date: {unreleased}")

    dated = f"## {version} - 2026-01-31"
    repository.change("CHANGELOG.md", rf"^{re.escape(unreleased)}$", dated)
    refused(f"the tag v{version} is on another commit")
    repository.git("tag", "--force", f"v{version}")
    (repository.folder / "docs/new.md").write_text("# New\n")
    refused("uncommitted changes (1), such as '?? docs/new.md'")
    (repository.folder / "docs/new.md").unlink()
    with changelog.open("a") as file:
        file.write("\n")
    refused("uncommitted changes (1), such as ' M CHANGELOG.md'")
    repository.git("checkout", "--quiet", "--", "CHANGELOG.md")
    refused("is not the program of this tag", repository.program("99.0.0"))
    refused("is not the program of this tag", repository.program(version, ", not a release"))

    made = repository.folder / f"dist/luath-{version}"
    result = repository.release(repository.program(version))
    check(result.returncode == 0, f"make-release: {result.stdout}")
    architecture = output("dpkg", "--print-architecture")
    package = f"luath_{version}-1_{architecture}.deb"
    archive = f"luath-{version}-linux-{os.uname().machine}.tar.gz"
    bill = f"luath-{version}.spdx.json"
    names = sorted(path.name for path in made.iterdir()) if made.is_dir() else []
    check(names == sorted(["RELEASE-NOTES.md", "SHA256SUMS", package, archive, bill]), f"a release holds {names}")
    check(result.stdout.split() == [f"dist/luath-{version}/{name}" for name in names], f"it prints {result.stdout}")
    check([path.name for path in dist.iterdir()] == [made.name], f"beside a release: {list(dist.iterdir())}")
    if len(names) != 5:
        return
    sums = checksums(made)
    right = {name: hashlib.sha256((made / name).read_bytes()).hexdigest() for name in names if name != "SHA256SUMS"}
    check(sums == right, f"SHA256SUMS: {sums} instead of {right}")
    heading, lines = sections(changelog.read_text(encoding="utf-8"))[0]
    notes = (made / "RELEASE-NOTES.md").read_text(encoding="utf-8")
    check(heading == dated[3:] and notes.strip() == f"# luath {version}\n\n" + "\n".join(lines).strip(),
          f"the release notes are not the section of {version}: {notes[:400]}")
    check(output("dpkg-deb", "--field", made / package, "Version") == f"{version}-1", "the version of the package")
    packed = run("tar", "--extract", "--to-stdout", "--file", made / archive,
                 f"{archive.removesuffix('.tar.gz')}/share/doc/luath/luath.spdx.json").stdout
    check(packed == (made / bill).read_text(encoding="utf-8"), "the archive has another bill of materials")
    listed = output("tar", "--list", "--file", made / archive).splitlines()
    check({line.split("/")[0] for line in listed} == {archive.removesuffix(".tar.gz")}, f"the archive holds {listed[:2]}")

    again = repository.release(repository.program(version))
    check(again.returncode == 0 and sums == checksums(made),
          f"a release that is made twice differs: {again.stdout}")

    repository.change(VERSION_FILE, rf'"{re.escape(version)}"', '"99.0.0"')
    repository.git("tag", "v99.0.0")
    shutil.rmtree(dist)
    refused("CHANGELOG.md has no section about 99.0.0")
    repository.change("CHANGELOG.md", r"\Z", "\n## 99.0.0 - 2026-01-31\n\n### Added\n\n- Nothing.\n")
    repository.git("tag", "--force", "v99.0.0")
    refused(f"the first section of CHANGELOG.md is about {version}, and the version is 99.0.0")
    repository.change("CHANGELOG.md", r"- Nothing\.", "")
    repository.git("tag", "--force", "v99.0.0")
    refused("the section about 99.0.0 in CHANGELOG.md lists no change")


def check_untagged(folder, version):
    """Whether packages of other commits have a version of their own, which dpkg sorts before the release."""
    for commit, wanted in [("0123456789ab", version), ("0123456789ab, not a release", f"{version}~0123456789ab"),
                           ("0123456789ab, with changes that are not committed", f"{version}~0123456789ab.changed"),
                           ("unknown: not built in a git repository", f"{version}~unknown")]:
        told = folder / "told"
        told.write_text(f"#!/bin/sh\nprintf 'luath {version}\\ncommit         {commit}\\nLua  5.4.4\\n'\n")
        told.chmod(0o755)
        found = output(ROOT / "Tools/package-version", told)
        check(found == wanted, f"the version of a package of '{commit}' is {found}")
        order = run("dpkg", "--compare-versions", found, "lt" if wanted != version else "eq", version)
        check(order.returncode == 0, f"dpkg does not sort {found} before {version}")


def main():
    version = output(ROOT / "Tools/version")
    check_version(version)
    with tempfile.TemporaryDirectory(prefix="luath-packages-") as name:
        folder = pathlib.Path(name)
        luath = program()

        result = run(ROOT / "Tools/install-tree", luath, folder / "one", "/opt/luath")
        check(result.returncode == 0, f"install-tree: {result.stdout}")
        installed = folder / "one/opt/luath"
        check_tree(installed / "share", compressed=False, version=version)
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
        check_tree(share, compressed=True, version=version)
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
            result = run(ROOT / "Tools/make-archive", luath, folder / "dist")
            check(result.returncode == 0, f"make-archive: {result.stdout}")
            archive = pathlib.Path(result.stdout.strip().splitlines()[-1])
            sums.append(hashlib.sha256(archive.read_bytes()).hexdigest())
        check(sums[0] == sums[1], "two archives of one program differ")
        told = checksums(archive.parent)
        check(told.get(archive.name) == sums[0] and len(told) == 2, f"the sums beside the archive: {told}")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="fully_trusted") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
        unpacked = folder / archive.name.removesuffix(".tar.gz")
        check((unpacked / "README.md").resolve().is_file(), "the archive's README leads nowhere")
        told = run(unpacked / "bin/luath", "--version").stdout
        check(told.startswith(f"luath {version}\n"), f"the unpacked program: {told}")
        name = f"luath-{output(ROOT / 'Tools/package-version', luath)}-linux-{os.uname().machine}"
        check(unpacked.name == name, f"the archive is {archive.name} instead of {name}")

        check_untagged(folder, version)
        check_release(folder, version)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
