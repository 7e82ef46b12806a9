"""The notes that lie beside the data: where it comes from, under which licences, what is in it."""

import collections

_README = """\
Manual pages, one JSON object a line: "label" is the section of the manual, "text" the running text of the page without
what names its section, "id" the package and the page. Made by tools/get_manpages of rotary.

Source: {origin}. packages.tsv lists the packages.
Licences: every page is under the licence of its package, free but not one and the same: see
/usr/share/doc/PACKAGE/copyright, a file of each package. Pass the pages on together with these.

{table}
"""


def write_notes(folder, documents, origin, packages, table):
    """README.txt and packages.tsv; `packages` are those of apt, empty for installed pages."""
    counts = collections.Counter(document.source for document in documents)
    known = {package.name: package for package in packages}
    rows = ["package\tversion\tbytes\tchecksum\tdocuments"]
    for name in sorted(set(known) | set(counts)):
        package = known.get(name)
        facts = ("", "", "")
        if package:
            facts = (package.version, str(package.size), f"{package.algorithm}:{package.checksum}")
        rows.append("\t".join((name, *facts, str(counts[name]))))
    (folder / "packages.tsv").write_text("\n".join(rows) + "\n")
    (folder / "README.txt").write_text(_README.format(origin=origin, table="\n".join(table)))
