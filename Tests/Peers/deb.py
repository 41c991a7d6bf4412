"""The Debian package and the archive, in a system that has nothing but what the package depends on; and its SBOM."""
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.json import json_parser
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE, ROOT, program  # noqa: E402


def output(*command, **settings):
    settings = {"timeout": PATIENCE, **settings}
    return subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, **settings).stdout


def dependencies(package):
    """The installed packages that a package file depends on, directly or by another."""
    found, pending = set(), [output("dpkg-deb", "--field", package, "Depends")]
    while pending:
        for choice in pending.pop().split(","):
            for name in choice.split("|"):
                name = re.sub(r"[ (:].*", "", name.strip())
                shown = subprocess.run(["dpkg-query", "--show", "--showformat=${Depends},${Pre-Depends}", name],
                                       capture_output=True, text=True, timeout=PATIENCE)
                if name and shown.returncode == 0:
                    if name not in found:
                        pending.append(shown.stdout)
                    found.add(name)
                    break
    return found


def packed(tool, folder):
    """The file that a tool makes of the program; it may compress for a minute."""
    return pathlib.Path(output(ROOT / "Tools" / tool, program(), folder, timeout=5 * PATIENCE).strip())


@functools.cache
def distribution():
    """A folder with the package, the archive and the bill of materials, for all tests."""
    made = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(made.cleanup)
    folder = pathlib.Path(made.name)
    return folder, packed("make-deb", folder / "dist"), packed("make-archive", folder / "dist")


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.package, cls.archive = distribution()
        cls.dist = cls.package.parent
        cls.bill = next(cls.dist.glob("luath-*.spdx.json"))


class Packages(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.root = cls.folder / "root"
        for name in ("bin", "sbin", "lib", "lib64"):
            (cls.root / "usr" / name).mkdir(parents=True)
            (cls.root / name).symlink_to(f"usr/{name}")
        for name in ("proc", "tmp"):
            (cls.root / name).mkdir()
        cls.packages = dependencies(cls.package)
        files = [line for line in output("dpkg-query", "--listfiles", *cls.packages).splitlines()
                 if line.startswith("/") and not os.path.isdir(line) and os.path.lexists(line)]
        listed = subprocess.Popen(["tar", "--create", "--directory", "/", "--no-recursion", "--files-from", "-"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        unpacked = subprocess.Popen(["tar", "--extract", "--directory", cls.root, "--keep-directory-symlink"],
                                    stdin=listed.stdout, stderr=subprocess.PIPE)
        listed.stdin.write("".join(f".{file}\n" for file in sorted(set(files))).encode())
        listed.stdin.close()
        _, errors = unpacked.communicate(timeout=PATIENCE)
        if listed.wait(PATIENCE) or unpacked.returncode:
            raise AssertionError(errors.decode())
        # dpkg has the packages of this machine, of which the new system has those that luath depends on.
        database = cls.root / "var/lib/dpkg"
        (database / "info").mkdir(parents=True, exist_ok=True)
        (database / "updates").mkdir(exist_ok=True)
        status = pathlib.Path("/var/lib/dpkg/status").read_text(encoding="utf-8").split("\n\n")
        (database / "status").write_text("\n\n".join(
            part for part in status if re.match(r"Package: (\S+)", part.strip()) and
            part.strip().split("\n")[0][len("Package: "):] in cls.packages) + "\n\n", encoding="utf-8")

    def dpkg(self, *words):
        done = subprocess.run(["dpkg", f"--root={self.root}", "--force-not-root", *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def inside(self, *command, program="/usr/bin/luath"):
        # With /proc, as in every system: without it, the Swift runtime may end the program (libdispatch counts its
        # threads there). The mount is gone with the process.
        script = 'mount -t proc proc "$0/proc" && exec /usr/sbin/chroot "$0" "$@"'
        done = subprocess.run(["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, self.root, program, *command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                              env={"PATH": "/usr/bin:/usr/sbin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def luath_runs(self, program):
        version = output(globals()["program"](), "--version").splitlines()[0]
        self.assertTrue(self.inside("--version", program=program).startswith(version))
        shop = self.root / "tmp/shop"
        self.inside("init", "/tmp/shop", program=program)
        self.assertIn("4 passed", self.inside("test", "/tmp/shop", program=program))
        shutil.rmtree(shop)

    def test_a_fresh_system_runs_the_package_and_forgets_it(self):
        self.assertFalse(list(self.root.glob("usr/bin/luath")))
        self.dpkg("--install", self.package)
        self.assertEqual(self.dpkg("--verify", "luath"), "")
        self.luath_runs("/usr/bin/luath")
        self.assertTrue((self.root / "usr/share/doc/luath/copyright").is_file())
        self.dpkg("--remove", "luath")
        self.assertEqual([str(file) for file in (self.root / "usr").rglob("*luath*") if "luassert" not in file.name], [])

    def test_a_fresh_system_runs_the_archive(self):
        place = self.root / "opt"
        place.mkdir(exist_ok=True)
        output("tar", "--extract", "--gzip", "--file", self.archive, "--directory", place)
        self.luath_runs(f"/opt/{self.archive.name.removesuffix('.tar.gz')}/bin/luath")

    def test_the_checksums_are_those_of_the_files(self):
        sums = {line[66:]: line[:64] for line in (self.dist / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(set(sums), {self.package.name, self.archive.name, self.bill.name})
        output("sha256sum", "--check", "SHA256SUMS", cwd=self.dist)

    def test_one_commit_gives_one_package(self):
        again = packed("make-deb", self.folder / "again")
        self.assertEqual(hashlib.sha256(again.read_bytes()).hexdigest(), hashlib.sha256(self.package.read_bytes()).hexdigest())


class Bill(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = json.loads(cls.bill.read_text(encoding="utf-8"))
        cls.packages = {package["name"]: package for package in cls.document["packages"]}

    def problems(self, document):
        file = self.folder / "document.spdx.json"
        file.write_text(json.dumps(document))
        try:
            return [found.validation_message for found in validate_full_spdx_document(json_parser.parse_from_file(str(file)))]
        except SPDXParsingError as error:
            return error.get_messages()

    def related(self, kind):
        names = {package["SPDXID"]: name for name, package in self.packages.items()}
        return {names[entry["relatedSpdxElement"]] for entry in self.document["relationships"]
                if entry["relationshipType"] == kind and entry["spdxElementId"] == "SPDXRef-luath"}

    def test_it_is_valid(self):
        self.assertEqual(self.problems(self.document), [])
        broken = json.loads(json.dumps(self.document))
        broken["packages"][0]["licenseDeclared"] = "No Such Licence"
        self.assertNotEqual(self.problems(broken), [])

    def test_every_library_is_in_it(self):
        listed = {name for package in self.packages.values()
                  for name in package.get("comment", "").removeprefix("Libraries: ").split(", ")}
        found = re.findall(r"^\s*(?:/\S*/)?(\S+?)(?: =>| \(0x)", output("ldd", program()), re.M)
        self.assertGreater(len(found), 20)
        self.assertEqual([name for name in found if name not in listed and not name.startswith("linux-vdso")], [])

    def test_its_packages_are_those_of_this_machine_with_licences(self):
        for name, package in self.packages.items():
            with self.subTest(name):
                self.assertTrue(package["versionInfo"])
                self.assertNotIn(package["licenseDeclared"], ("", "NOASSERTION"))
                if package["supplier"] == "Organization: Debian":
                    self.assertEqual(
                        output("dpkg-query", "--show", "--showformat=${Version}\n", name).split()[0], package["versionInfo"])
                    self.assertRegex(package["externalRefs"][0]["referenceLocator"], r"^pkg:deb/debian/\S+@\S+\?arch=")

    def test_it_has_what_is_linked_and_embedded(self):
        self.assertEqual(self.related("CONTAINS"), {"lua-luassert", "lua-say"})
        self.assertEqual(self.related("STATIC_LINK"), {"swift-runtime"})
        needed = set(re.findall(r"\(NEEDED\).*\[(\S+)\]", output("readelf", "--dynamic", "--wide", program())))
        self.assertEqual({name for package in self.related("DYNAMIC_LINK")
                          for name in self.packages[package]["comment"].removeprefix("Libraries: ").split(", ")} & needed, needed)

    def test_the_package_has_the_same(self):
        unpacked = self.folder / "unpacked"
        output("dpkg-deb", "--extract", self.package, unpacked)
        self.assertEqual((unpacked / "usr/share/doc/luath/luath.spdx.json").read_bytes(), self.bill.read_bytes())

    def test_a_program_that_is_not_there_is_an_error(self):
        made = self.folder / "none.spdx.json"
        done = subprocess.run([ROOT / "Tools/make-sbom", self.folder / "none", made], capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, made.exists()), (1, False))
        self.assertIn("none cannot be run: No such file or directory", done.stderr)
        self.assertIn("\n  hint: name luath's program, as make build leaves it", done.stderr)


if __name__ == "__main__":
    sys.exit(checks.run([Packages, Bill], "deb"))
