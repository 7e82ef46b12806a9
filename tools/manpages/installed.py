"""The manual pages installed on this system."""

import collections
import hashlib
import os
import pathlib
import re

from manpages.dataset import RawPage

MANUAL = pathlib.Path("/usr/share/man")
MOST_PAGES = 600  # of a section in one package, three times what is chosen at most; near duplicates are among them
_DPKG_LISTS = pathlib.Path("/var/lib/dpkg/info")


def installed_pages(manual=MANUAL, dpkg_lists=_DPKG_LISTS):
    """The pages under `manual`, sorted by package, section and name; links are left out, and so is most of a package
    that has thousands of pages in a section."""
    owners = _owners(manual, dpkg_lists)
    groups = collections.defaultdict(list)
    for path in pathlib.Path(manual).glob("man[1-9]/*"):
        name = f"{path.parent.name}/{path.name}"
        if path.is_file() and not path.is_symlink():
            groups[owners.get(name, "system"), path.parent.name].append(name)
    pages = []
    for (source, _), names in groups.items():
        drawn = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:MOST_PAGES]
        pages += [RawPage(source, name, (pathlib.Path(manual) / name).read_bytes()) for name in drawn]
    return sorted(pages)


def _owners(manual, dpkg_lists):
    """{man1/ls.1.gz: coreutils} as far as dpkg knows."""
    line = re.compile(rf"^{re.escape(os.fspath(manual))}/(man[1-9]/[^/\n]+)$", re.M)
    owners = {}
    for listing in sorted(pathlib.Path(dpkg_lists).glob("*.list")):
        package = listing.name[: -len(".list")].split(":")[0]
        for name in line.findall(listing.read_text(errors="replace")):
            owners.setdefault(name, package)
    return owners
