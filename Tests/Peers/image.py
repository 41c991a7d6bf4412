"""Makes the container image, and runs it: by runc, in a plain chroot, and without /proc."""
import contextlib
import hashlib
import http.client
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE, ROOT, program  # noqa: E402

USER = 65532


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        cls.archive, cls.words = cls.pack("one")
        cls.blobs = {}
        with tarfile.open(cls.archive) as archive:
            for member in archive:
                if member.isfile():
                    cls.blobs[member.name] = archive.extractfile(member).read()
        cls.manifest = cls.blob(json.loads(cls.blobs["index.json"])["manifests"][0])
        cls.config = cls.blob(cls.manifest["config"])
        cls.root = cls.folder / "bundle/rootfs"
        layer = cls.blobs["blobs/" + cls.manifest["layers"][0]["digest"].replace(":", "/")]
        with tarfile.open(fileobj=io.BytesIO(layer), mode="r:gz") as archive:
            archive.extractall(cls.root, numeric_owner=True)

    @classmethod
    def pack(cls, folder):
        done = subprocess.run([ROOT / "Tools/make-image", program(), cls.folder / folder], check=True,
                              capture_output=True, text=True, timeout=PATIENCE)
        return pathlib.Path(done.stdout.strip()), done.stderr

    @classmethod
    def blob(cls, place):
        return json.loads(cls.blobs["blobs/" + place["digest"].replace(":", "/")])

    def test_one_commit_gives_one_image(self):
        again, _ = self.pack("two")
        self.assertEqual(again.read_bytes(), self.archive.read_bytes())

    def test_digests_and_sizes_are_those_of_the_blobs(self):
        for name, data in self.blobs.items():
            if name.startswith("blobs/"):
                self.assertEqual(hashlib.sha256(data).hexdigest(), name.rsplit("/", 1)[1])
        seen = json.loads(subprocess.run(
            ["skopeo", "inspect", f"oci-archive:{self.archive}"], check=True, capture_output=True,
            timeout=PATIENCE).stdout)
        self.assertEqual(seen["Architecture"], self.config["architecture"])
        self.assertEqual(seen["Labels"]["org.opencontainers.image.title"], "luath")
        converted = self.folder / "docker.tar"
        subprocess.run(["skopeo", "copy", "--insecure-policy", f"docker-archive:{self.archive}",
                        f"docker-archive:{converted}:localhost/luath:copy"],
                       check=True, capture_output=True, timeout=PATIENCE)
        with tarfile.open(converted) as archive:
            listed = json.load(archive.extractfile("manifest.json"))[0]
            config = json.load(archive.extractfile(listed["Config"]))
        self.assertEqual(config["config"]["Healthcheck"]["Test"], ["CMD", "/usr/bin/luath", "emulator", "--check"])

    def test_it_serves_as_a_user_without_rights(self):
        self.assertEqual(self.config["config"]["User"], f"{USER}:{USER}")
        self.assertIn("9099/tcp", self.config["config"]["ExposedPorts"])
        self.assertIn(f"{len(self.blobs['blobs/' + self.manifest['layers'][0]['digest'].replace(':', '/')]):,}",
                      self.words)

    def test_its_bill_of_materials_lists_what_is_in_it(self):
        bill = json.loads((self.root / "usr/share/doc/luath/luath.spdx.json").read_text(encoding="utf-8"))
        names = {package["name"] for package in bill["packages"]}
        notices = {file.parent.name for file in (self.root / "usr/share/doc").glob("*/copyright")}
        self.assertLessEqual(notices, names)
        self.assertIn("ca-certificates", notices)
        libraries = {name for package in bill["packages"] for name in package.get("comment", "").split(": ")[-1].split(", ")}
        present = {file.name for file in (self.root / "usr/lib").rglob("*.so.*") if "gconv" not in file.parts}
        self.assertEqual(present - libraries, set())

    def test_a_missing_tool_is_named_and_nothing_is_made(self):
        for tool, package in (("strip", "binutils"), ("cc", "gcc"), ("ldd", "libc-bin")):
            with self.subTest(tool):
                path = self.folder / f"without-{tool}"
                path.mkdir()
                for file in pathlib.Path("/usr/bin").iterdir():
                    if file.name != tool:
                        (path / file.name).symlink_to(file)
                made = self.folder / f"made-without-{tool}"
                done = subprocess.run([sys.executable, ROOT / "Tools/make-image", program(), made], capture_output=True,
                                      text=True, env={**os.environ, "PATH": str(path)}, timeout=PATIENCE)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, f"make-image: error: cannot run {tool}: No such file or directory\n"
                                              f"  hint: install it: apt-get install {package}\n")
                self.assertFalse(made.exists())

    def container(self, *arguments, user=USER, mounts=()):
        """The arguments of a container of runc, on the network of the machine."""
        spec = self.folder / "bundle/config.json"
        spec.unlink(missing_ok=True)
        subprocess.run(["runc", "spec"], check=True, cwd=spec.parent, timeout=PATIENCE)
        config = json.loads(spec.read_text())
        config["process"].update({
            "terminal": False, "args": [*self.config["config"]["Entrypoint"], *arguments],
            "user": {"uid": user, "gid": user}, "cwd": self.config["config"]["WorkingDir"],
            "env": self.config["config"]["Env"]})
        config["process"].pop("rlimits")
        config["root"]["readonly"] = True
        config["mounts"] = [mount for mount in config["mounts"] if mount["destination"] not in
                            ("/sys", "/sys/fs/cgroup", "/dev/mqueue")] + list(mounts)
        config["linux"]["namespaces"] = [
            space for space in config["linux"]["namespaces"] if space["type"] not in ("network", "cgroup")]
        config["linux"].pop("resources", None)
        spec.write_text(json.dumps(config))
        name = f"luath-{os.getpid()}-{time.monotonic_ns()}"
        return ["runc", "--root", str(self.folder / "runc"), "run", "--bundle", str(spec.parent), name], name

    def run_once(self, *arguments, **settings):
        command, _ = self.container(*arguments, **settings)
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    @contextlib.contextmanager
    def serving(self, **settings):
        """A running emulator: its address, and a function that runs a command in its container."""
        command, name = self.container("emulator", "--host", "0.0.0.0", "--port", "0", **settings)
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        found = re.search(r"http://\S+:(\d+)", line)
        if not found:
            self.fail(line + process.stderr.read())
        runc = ["runc", "--root", str(self.folder / "runc")]

        def inside(*words):
            return subprocess.run([*runc, "exec", name, "/usr/bin/luath", *words], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=PATIENCE)

        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=PATIENCE)) as client:
            client.request("GET", "/")
            client.getresponse().read()
        print(f"    from runc to the first response: {(time.monotonic() - began) * 1000:.0f} ms")
        yield found[1], inside
        subprocess.run([*runc, "kill", name, "TERM"], check=True, timeout=PATIENCE)
        process.stdout.read()
        self.assertEqual(process.wait(PATIENCE), 0, process.stderr.read())
        process.stdout.close()
        process.stderr.close()

    def test_runc_runs_it_with_a_read_only_root(self):
        for user in (USER, 12345):
            with self.subTest(user), self.serving(user=user) as (port, inside):
                check = inside("emulator", "--check", "--port", port)
                self.assertEqual(check.returncode, 0, check.stderr)
                # Nothing listens at the port that is the default.
                check = inside("emulator", "--check", "--port", "1")
                self.assertEqual(check.returncode, 1, check.stdout)
                self.assertIn("no emulator responds at 127.0.0.1:1", check.stderr)

    def test_a_journey_runs_in_it(self):
        work = self.folder / "work"
        work.mkdir()
        work.chmod(0o777)
        (work / "a_journey.lua").write_text("""
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey("signs in with a page", function(j)
  local ada <const> = j.users:new()
  expect.equal(ada:signIn("microsoft.com").user.email, ada.email)
end)
""")
        mount = {"destination": "/work", "source": str(work), "type": "none", "options": ["bind", "rw"]}
        done = self.run_once("test", mounts=[mount])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 passed", done.stdout)

    def test_arguments_arrive_without_proc(self):
        # The Swift runtime reads /proc once a second.
        code = "local task = require 'luath.task' for _ = 1, 30 do task.sleep(0.1) end print(1 + 1)"
        running = [
            subprocess.Popen(
                ["chroot", f"--userspec={USER}:{USER}", str(self.root), "/usr/bin/luath", "run", "-e", code],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(8)]
        for process in running:
            output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, output), (0, "2\n"), errors)

    def test_exec_ends_the_process_group_without_proc(self):
        sleeper = f"86400.{os.getpid()}"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", program(), "exec", "--",
             "sh", "-c", f"sleep {sleeper} & exit 3"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 3, done.stderr)
        for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                self.assertNotIn(sleeper.encode(), process.read_bytes())


if __name__ == "__main__":
    sys.exit(checks.run([Image], "image"))
