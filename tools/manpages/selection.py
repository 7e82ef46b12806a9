"""Which documents to take, and into which split: balanced by label and source.

They are drawn by checksums of their ids, so that a page that comes or goes, as with a security update, moves few.
"""

import collections
import hashlib
import typing

PER_LABEL = 900
PER_SOURCE_AND_LABEL = 200
LARGE_SOURCES = {"freebsd-manpages": 450}  # nearly all there is of sections 4 and 9
SPLITS = ("train", "valid", "test")


class Document(typing.NamedTuple):
    id: str  # package/man2/open.2
    source: str  # the package
    label: str  # the section of the manual
    text: str


def balanced(documents):
    """At most 900 documents of a label and 200 of a label in one source, in a drawn order."""
    of_label, of_source, chosen = collections.Counter(), collections.Counter(), []
    for document in sorted(documents, key=lambda document: _checksum("drawn " + document.id)):
        source = document.source, document.label
        limit = LARGE_SOURCES.get(document.source, PER_SOURCE_AND_LABEL)
        if of_label[document.label] < PER_LABEL and of_source[source] < limit:
            of_label[document.label] += 1
            of_source[source] += 1
            chosen.append(document)
    return chosen


def split(documents):
    """{"train", "valid", "test": documents}: 70, 10 and 20 % of each label in the given order; the splits are mixed."""
    by_label = collections.defaultdict(list)
    for document in documents:
        by_label[document.label].append(document)
    splits = {name: [] for name in SPLITS}
    for _, group in sorted(by_label.items()):
        cuts = [0, round(0.7 * len(group)), round(0.8 * len(group)), len(group)]
        for name, begin, end in zip(SPLITS, cuts, cuts[1:]):
            splits[name] += group[begin:end]
    for group in splits.values():
        group.sort(key=lambda document: _checksum(document.id))
    return splits


def _checksum(text):
    return hashlib.sha256(text.encode()).hexdigest()
