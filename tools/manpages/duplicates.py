"""Near duplicates among documents: which to keep so that no two are nearly the same.

Two documents are near duplicates when the sets of six-word runs ("shingles") of their beginnings overlap by half
(Jaccard index, exact). Pairs to compare are found by a sample of the shingles, chosen by their checksum and so the same
in every document: a pair at one half shares some, but for one in a thousand pairs of the shortest documents.
"""

import collections
import functools
import zlib

SHINGLE_WORDS = 6
COMPARED_WORDS = 1500
_SAMPLED = 8  # one shingle of this many
_WORTH_COMPARING = 0.2  # overlap of the samples; well under one half, for samples are small


def shingles(text):
    """The six-word runs of the document's first 1,500 words, in lower case."""
    words = text.lower().split()[:COMPARED_WORDS]
    return set(zip(*(words[start:] for start in range(SHINGLE_WORDS)))) or {tuple(words)}


def sample(text):
    """Checksums of a fixed part of the document's shingles."""
    checksums = (zlib.crc32(" ".join(shingle).encode()) for shingle in shingles(text))
    return [checksum for checksum in checksums if checksum % _SAMPLED == 0]


def distinct(texts, samples):
    """The indices to keep, ascending: of each group of near duplicates the longest, the first of equally long ones.

    A group is what is connected by pairs of near duplicates. `samples` holds sample(text) of every text.
    """
    leader = list(range(len(texts)))

    def find(index):
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    shingles_of = functools.lru_cache(maxsize=512)(lambda index: shingles(texts[index]))
    for one, other in _candidates(samples):
        low, high = sorted((find(one), find(other)))
        if low != high and _overlap(shingles_of(one), shingles_of(other)) >= 0.5:
            leader[high] = low
    groups = collections.defaultdict(list)
    for index in range(len(texts)):
        groups[find(index)].append(index)
    return sorted(max(group, key=lambda index: (len(texts[index]), -index)) for group in groups.values())


def _candidates(samples):
    """Pairs of indices whose samples overlap."""
    holders = collections.defaultdict(list)
    for index, numbers in enumerate(samples):
        shared = collections.Counter()
        for number in numbers:
            shared.update(holders[number])
            holders[number].append(index)
        for other, count in shared.items():
            if count >= _WORTH_COMPARING * (len(numbers) + len(samples[other]) - count):
                yield index, other


def _overlap(left, right):
    common = len(left & right)
    return common / (len(left) + len(right) - common)
