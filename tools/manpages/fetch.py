"""Gets packages into the cache: those that miss are looked up and downloaded."""

from manpages.apt import Apt, Unavailable
from manpages.progress import Progress

ENOUGH = 0.9  # go on without the rest when this part of the packages is there


def fetch(names, cache, report=print):
    """The packages of these names that are in the cache now; raises Unavailable if they are too few."""
    recorded = cache.recorded()
    packages = [recorded[name] for name in names if name in recorded]
    cache.accept(packages)
    if len(packages) == len(names) and all(map(cache.holds, packages)):
        report(f"{len(packages)} packages are in the cache, unchanged: {cache.folder}")
        return packages
    return _fetch_missing(names, cache, report)


def _fetch_missing(names, cache, report):
    apt = Apt(cache.folder / "lists")
    packages = apt.look_up(names)
    if packages:
        missing = _download(apt, packages, cache, report)
        if not missing:
            return _enough(packages, names, report)
    report("Fetching package lists" + (": some packages did not arrive." if packages else ": this system has none."))
    apt.fetch_lists()
    packages = apt.look_up(names) or packages
    if not packages:
        raise Unavailable("no package lists could be fetched (no network?)")
    _download(apt, packages, cache, report)
    return _enough(list(filter(cache.holds, packages)), names, report)


def _download(apt, packages, cache, report):
    """The packages that still miss afterwards."""
    cache.record(packages)
    cache.accept(packages)
    missing = [package for package in packages if not cache.holds(package)]
    if not missing:
        return []
    total = sum(package.size for package in missing)
    report(f"Downloading {len(missing)} of {len(packages)} packages, {total / 1e6:.1f} MB, into {cache.folder}")
    with Progress("Download", total, ("MB", 1e6)) as progress:
        try:
            apt.download(missing, cache.incoming, lambda: _show(progress, missing, cache))
            _show(progress, missing, cache)
        finally:  # after Ctrl-C too: what has arrived is kept
            cache.accept(missing)
    return [package for package in missing if not cache.holds(package)]


def _show(progress, packages, cache):
    count, size = cache.arrived(packages)
    total = sum(package.size for package in packages)
    progress.update(size, f"{count} of {len(packages)} packages, {size / 1e6:.1f} of {total / 1e6:.1f} MB")
    return size


def _enough(packages, names, report):
    lacking = sorted(set(names) - {package.name for package in packages})
    if len(packages) < ENOUGH * len(names):
        raise Unavailable(f"only {len(packages)} of {len(names)} packages could be fetched; run again to go on")
    if lacking:
        report(f"Going on without {len(lacking)} packages that could not be had: {' '.join(lacking)}")
    return packages
