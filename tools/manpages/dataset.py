"""From raw manual pages to train.jsonl.gz, valid.jsonl.gz and test.jsonl.gz. The same pages give the same bytes."""

import collections
import gzip
import json
import typing
import zlib

from manpages import duplicates
from manpages.progress import Progress
from manpages.roff import strip_roff
from manpages.selection import SPLITS, Document, balanced, split

LABELS = ("1", "2", "3", "4", "5", "7", "8", "9")  # there are hardly any pages in section 6, games
MIN_SOURCE_CHARACTERS = 400  # less is a pointer to another page
MIN_WORDS = 80
MAX_CHARACTERS = 40000
MIN_DOCUMENTS = 30  # of a section, or it is left out
MIN_LABELS = 2


class RawPage(typing.NamedTuple):
    source: str  # the package
    name: str  # man2/open.2.gz
    data: bytes  # plain or gzip


class TooFewPages(Exception):
    """The pages are not enough for a data set; the message has the counts."""


def read_pages(pages, pool):
    """[(document, sample of its shingles)] of the pages that have enough running text, in their order."""
    read = []
    with Progress("Reading pages", len(pages)) as progress:
        for done, result in enumerate(pool.imap(_read_page, pages, chunksize=32), 1):
            progress.update(done)
            if result is not None:
                read.append(result)
    return read


def _read_page(page):
    label = page.name[len("man")]
    if label not in LABELS:
        return None
    try:
        data = gzip.decompress(page.data) if page.data[:2] == b"\x1f\x8b" else page.data
    except (OSError, EOFError, zlib.error):
        return None  # a damaged page is no reason to stop
    source = data.decode("utf-8", "replace")
    if len(source) < MIN_SOURCE_CHARACTERS:
        return None
    text = strip_roff(source)[:MAX_CHARACTERS].rsplit(" ", 1)[0]
    if len(text.split()) < MIN_WORDS:
        return None
    name = page.name[: -len(".gz")] if page.name.endswith(".gz") else page.name
    return Document(f"{page.source}/{name}", page.source, label, text), duplicates.sample(text)


def choose(read):
    """The documents of the data set, drawn from what read_pages() returns: no near duplicates, balanced."""
    documents = [document for document, _ in read]
    kept = duplicates.distinct([document.text for document in documents], [sample for _, sample in read])
    chosen = balanced(documents[index] for index in kept)
    of_label = collections.Counter(document.label for document in chosen)
    enough = {label for label, count in of_label.items() if count >= MIN_DOCUMENTS}
    if len(enough) < MIN_LABELS:
        counts = ", ".join(f"section {label}: {of_label[label]}" for label in LABELS if of_label[label]) or "none"
        raise TooFewPages(f"{MIN_LABELS} sections of the manual with {MIN_DOCUMENTS} pages are needed, found {counts}")
    return [document for document in chosen if document.label in enough]


def write(documents, folder, pool):
    """Writes the three splits into `folder`; each file is written beside and renamed. Returns the splits."""
    splits = split(documents)
    pool.starmap(_write_split, [(folder / f"{name}.jsonl.gz", splits[name]) for name in SPLITS], chunksize=1)
    return splits


def _write_split(path, documents):
    beside = path.with_suffix(".new")
    with open(beside, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as lines:
        for document in documents:
            record = {"label": document.label, "text": document.text, "id": document.id}
            lines.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
    beside.replace(path)


def count_table(splits):
    """Lines of text: documents by split and label, and their lengths."""
    labels = [label for label in LABELS if any(document.label == label for document in splits["train"])]
    lines = [f"{'section':>8}" + "".join(f"{label:>6}" for label in labels) + f"{'all':>7}   words: quartiles, longest"]
    for name in SPLITS:
        of_label = collections.Counter(document.label for document in splits[name])
        words = sorted(len(document.text.split()) for document in splits[name])
        quartiles = ", ".join(str(words[len(words) * part // 4]) for part in (1, 2, 3)) if words else "-"
        lines.append(f"{name:>8}" + "".join(f"{of_label[label]:6}" for label in labels) +
                     f"{len(words):7}   {quartiles}, {words[-1] if words else '-'}")
    return lines
