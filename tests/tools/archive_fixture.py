"""A test case with an archive of small packages, served by fake_apt_get, which stands in apt-get's place."""

import gzip
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent


def page(label, seed):
    """A manual page of 120 random words."""
    generator = random.Random(seed)
    body = " ".join(f"word{generator.randrange(5000)}" for _ in range(120))
    return f".TH P {label}\n.SH NAME\nsecret\n.SH DESCRIPTION\nSee open({label}). {body}\n"


def make_package(folder, name, pages, version="1.0"):
    """Builds folder/name_version_all.deb with the pages {"man1/x.1": text}."""
    with tempfile.TemporaryDirectory() as root:
        control = pathlib.Path(root, "DEBIAN", "control")
        control.parent.mkdir()
        control.write_text(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: T <t@t.invalid>\n"
                           "Description: test\n")
        for page_name, text in pages.items():
            path = pathlib.Path(root, "usr/share/man", page_name + ".gz")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        deb = pathlib.Path(folder, f"{name}_{version}_all.deb")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", root, deb], check=True, stdout=subprocess.DEVNULL)
    return deb


@unittest.skipIf(shutil.which("dpkg-deb") is None, "dpkg-deb is missing")
class ArchiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.archive, programs = self.folder / "archive", self.folder / "bin"
        self.archive.mkdir()
        programs.mkdir()
        shutil.copy(HERE / "fake_apt_get", programs / "apt-get")
        self.log = self.folder / "log"
        self.set_environment(PATH=f"{programs}:{os.environ['PATH']}")
        self.set_environment(FAKE_ARCHIVE=str(self.archive), FAKE_LOG=str(self.log))

    def set_environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def calls(self):
        """The calls of apt-get until now, forgotten afterwards."""
        text = self.log.read_text() if self.log.exists() else ""
        self.log.write_text("")
        return text.splitlines()
