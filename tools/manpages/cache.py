"""A folder of .deb files, each checked against its checksum in the package lists whenever it is used."""

import hashlib
import json
import pathlib

from manpages.apt import Package


class Cache:
    """Whole files lie in the folder itself, partial ones in incoming/; packages.json keeps the checksums."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.incoming = self.folder / "incoming"
        self.incoming.mkdir(parents=True, exist_ok=True)
        self._record = self.folder / "packages.json"

    def recorded(self):
        """{name: package} of what was looked up before."""
        try:
            return {name: Package(*fields) for name, fields in json.loads(self._record.read_text()).items()}
        except (OSError, ValueError, TypeError, AttributeError):  # none yet, or not ours: looked up again
            return {}

    def record(self, packages):
        known = self.recorded()
        known.update((package.name, package) for package in packages)
        beside = self._record.with_suffix(".new")
        beside.write_text(json.dumps(known, indent=1, sort_keys=True))
        beside.replace(self._record)

    def path(self, package):
        return self.folder / package.file

    def holds(self, package):
        """Whether the package's file is here, whole and unchanged."""
        return _is_whole(self.path(package), package)

    def accept(self, packages):
        """Takes over what has arrived whole; partial files stay, for the next download to go on with."""
        for package in packages:
            arrived = self.incoming / package.file
            if _is_whole(arrived, package):
                arrived.replace(self.path(package))
            elif arrived.exists() and arrived.stat().st_size >= package.size:
                arrived.unlink()  # something else: going on with it would never end well

    def arrived(self, packages):
        """(number of packages whose files have their full size, bytes), by size alone."""
        sizes = [(_size(self.incoming / package.file), package.size) for package in packages]
        return sum(size == wanted for size, wanted in sizes), sum(size for size, _ in sizes)


def _size(path):
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_whole(path, package):
    if _size(path) != package.size:
        return False
    return hashlib.new(package.algorithm, path.read_bytes()).hexdigest() == package.checksum
