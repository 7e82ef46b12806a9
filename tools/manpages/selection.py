"""Which documents to take, and into which split: balanced by label and source, drawn with a fixed seed."""

import collections
import hashlib
import random
import typing

SEED = 20240
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
    """At most 900 documents of a label and 200 of a label in one source, in the order that the seed gives."""
    documents = list(documents)
    random.Random(SEED).shuffle(documents)
    of_label, of_source, chosen = collections.Counter(), collections.Counter(), []
    for document in documents:
        source = document.source, document.label
        limit = LARGE_SOURCES.get(document.source, PER_SOURCE_AND_LABEL)
        if of_label[document.label] < PER_LABEL and of_source[source] < limit:
            of_label[document.label] += 1
            of_source[source] += 1
            chosen.append(document)
    return chosen


def split(documents):
    """{"train", "valid", "test": documents}: 70, 10 and 20 % of each label, each split ordered by a checksum of the id."""
    by_label = collections.defaultdict(list)
    for document in documents:
        by_label[document.label].append(document)
    splits = {name: [] for name in SPLITS}
    for _, group in sorted(by_label.items()):
        cuts = [0, round(0.7 * len(group)), round(0.8 * len(group)), len(group)]
        for name, begin, end in zip(SPLITS, cuts, cuts[1:]):
            splits[name] += group[begin:end]
    for group in splits.values():
        group.sort(key=lambda document: hashlib.sha256(document.id.encode()).hexdigest())
    return splits
