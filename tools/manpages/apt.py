"""Debian's package client, used without the rights of root and without changing the system.

Where the system has no package lists, or such that name files which are gone, lists of its configured sources are
fetched into a folder of ours; apt checks their signatures as it always does.
"""

import os
import pathlib
import re
import shutil
import subprocess
import time
import typing
import urllib.parse

STALLED_SECONDS = 60
_IMPATIENT = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15", "-o", "Acquire::https::Timeout=15"]
_ADDRESS = re.compile(r"^'[^']+' (\S+_\S+\.deb) (\d+) (\w+):([0-9a-f]+)$", re.M)


class Unavailable(Exception):
    """Packages cannot be had; the message says why."""


class Package(typing.NamedTuple):
    name: str
    version: str
    file: str
    size: int  # bytes
    algorithm: str  # of the checksum in the signed package lists
    checksum: str


class Apt:
    """`lists` is the folder for package lists of our own, made when it is needed."""

    def __init__(self, lists):
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise Unavailable("this system has no apt-get or no dpkg-deb")
        self._lists = pathlib.Path(lists)
        self._options = []

    def look_up(self, names):
        """The packages of these names that the package lists know."""
        run = self._run("download", "--print-uris", *names)
        return [_package(*fields) for fields in _ADDRESS.findall(run.stdout)]

    def fetch_lists(self):
        """Looks packages up in fresh lists of our own from now on."""
        (self._lists / "state" / "partial").mkdir(parents=True, exist_ok=True)
        (self._lists / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        self._options = ["-o", f"Dir::State::Lists={self._lists / 'state'}",
                         "-o", f"Dir::Cache={self._lists / 'cache'}",
                         "-o", "Debug::NoLocking=true", "-o", "Acquire::Languages=none"]
        try:
            self._run("update", timeout=180)
        except subprocess.TimeoutExpired:
            raise Unavailable("the package lists did not arrive within three minutes") from None

    def download(self, packages, folder, watch):
        """Downloads into `folder`, going on with partial files there; calls watch() five times a second.

        Returns when all has arrived, failed or stalled: the caller checks the files. watch() returns something that
        changes as long as data arrives.
        """
        names = [f"{package.name}={package.version}" for package in packages]
        silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        command = self._command("download", *names)
        with subprocess.Popen(command, cwd=folder, env=_environment(), **silent) as process:
            try:
                seen, since = None, time.monotonic()
                while process.poll() is None and time.monotonic() - since < STALLED_SECONDS:
                    time.sleep(0.2)
                    now = watch()
                    if now != seen:
                        seen, since = now, time.monotonic()
            finally:
                process.terminate()

    def _command(self, *arguments):
        return ["apt-get", "-qq", *_IMPATIENT, *self._options, *arguments]

    def _run(self, *arguments, timeout=None):
        return subprocess.run(self._command(*arguments), env=_environment(), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)


def _package(file, size, algorithm, checksum):
    name, version, _ = file.split("_", 2)
    return Package(name, urllib.parse.unquote(version), file, int(size), algorithm.lower(), checksum)


def _environment():
    return dict(os.environ, LC_ALL="C")
