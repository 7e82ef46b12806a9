"""The manual pages in .deb files."""

import re
import subprocess
import tarfile

from manpages.dataset import RawPage
from manpages.progress import Progress

_PAGE = re.compile(r"(?:\./)?usr/share/man/(man[1-9]/[^/]+)")


def pages_in_all(jobs, pool):
    """The pages of all packages, in their order; `jobs` are (path, name of the package)."""
    pages = []
    with Progress("Unpacking", len(jobs)) as progress:
        for done, found in enumerate(pool.imap(_pages_in_job, jobs), 1):
            progress.update(done, f"{done} of {len(jobs)} packages")
            pages += found
    return pages


def _pages_in_job(job):
    return pages_in(*job)


def pages_in(path, package):
    """The pages of a package, sorted by section and name; symbolic links are left out, hard links are pages."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        try:
            found = _pages_in_tar(process.stdout)
        except tarfile.TarError:
            found = None
        while process.stdout.read(1 << 16):  # padding: left unread, it would end dpkg-deb with an error
            pass
    if found is None or process.returncode != 0:
        raise OSError(f"{path}: dpkg-deb could not read this package")
    return [RawPage(package, name, data) for name, data in sorted(found.items())]


def _pages_in_tar(stream):
    found = {}
    with tarfile.open(fileobj=stream, mode="r|", bufsize=1 << 20) as archive:
        for member in archive:
            name = _page_name(member.name)
            if name and member.isreg():
                found[name] = archive.extractfile(member).read()
            elif name and member.islnk() and _page_name(member.linkname) in found:
                found[name] = found[_page_name(member.linkname)]
    return found


def _page_name(path):
    match = _PAGE.fullmatch(path)
    return match and match[1]
