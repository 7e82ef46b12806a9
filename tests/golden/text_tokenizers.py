"""Writes text/: ids of difficult strings by the `tokenizers` library, with vocabularies made of these strings.

Needs the package tokenizers (written with 0.23.3). usage: text_tokenizers.py FOLDER
"""
import json
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = r"[\p{L}\p{M}\p{N}_]+|[^\s\x1c-\x1f\p{L}\p{M}\p{N}_]"

TEXTS = {
    "plain": "The quick_brown fox2 jumped -- over 3.14 lazy dogs; it's e-mail!",
    "turkish dotted I": "\u0130STANBUL I\u015eIK \u0131s\u0131 i\u0307",
    "sharp s": "STRASSE Stra\u00dfe \u1e9e \ufb03",
    "final sigma": "\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 \u03a3 \u1f68\u03a3, \u03c2",
    "combining marks": "e\u0301 \u00e9 A\u030a \u00c5 \u0344 q\u0307\u0323 q\u0323\u0307 \u0915\u094d\u0937\u093f",
    "precomposed": "\u00c0\u00e9\u00ee\u00f5\u00fc \u1ec6 \u0401\u0419 \u0958 \u09cb \u0ddd",
    "emoji": "ok\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f1\ufe0f\u20e3 \U0001f1e9\U0001f1ea",
    "chinese, japanese, korean": "\u4eca\u5929\u5929\u6c14\u3002 \u30b3\u30fc\u30d2\u30fc \u3072\u3089 \ud55c\uad6d\uc5b4 \uf900 \U00020000",
    "right to left": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd\u200f, \u0627\u0644\u0633\u0644\u0627\u0645\u064f \u0669 \u202bx\u202c",
    "spaces": "a\u00a0b\u1680c\u2003d\u2009e\u202ff\u205fg\u3000h\u180ei\u0085j",
    "zero width and line separators": "a\u200bb\u200cc\u200dd\ufeffe\u2060f\u2028g\u2029h\x0bi\x0cj\r\nk\tl\x1cm\x1fn",
    "controls": "a\x01b\x7fc\u0085d\u00ade\ufffdf\ufdd0g\ue000h",
    "numbers": "\u00b2\u2163\u2460\u0967 x\u00b2 10\u20ac \u00bd \u3289",
    "capitals that are no letters": "\u24b6\u24d0 \u2160\u2170 \u1c90 \uab70 \u13a0",
    "new letters": "\ua7cb \U00010d50\U00010d70 \U00016ea0 \u0897 \U0001e6c0",
    "spelled out": "[MASK] [mask] x[SEP]y [[CLS]] [PAD [UNK][PAD]",
    "typography": "\u201cquoted\u201d \u2013 \u2026 \u2018tis \u00abici\u00bb \u00a7 5 \u00b5m \u2126 \u212b `x` a^b $1 <b>",
    "empty": "",
}


def words_tokenizer(texts):
    split = pre_tokenizers.Split(Regex(WORDS), "removed", invert=True)
    lower = normalizers.Lowercase()
    pieces = sorted({w for t in texts for w, _ in split.pre_tokenize_str(lower.normalize_str(t))})
    pieces = SPECIAL + [w for i, w in enumerate(pieces) if i % 7 != 3]  # some stay unknown
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = lower, split
    tokenizer.add_special_tokens([AddedToken(s, normalized=False) for s in SPECIAL])
    return tokenizer


def wordpiece_vocabulary(texts):
    """Every character that any normalization leaves, alone and inside, but for some, and a few longer pieces."""
    pieces = set()
    for strip in (False, True):
        for lower in (False, True):
            normalize = normalizers.BertNormalizer(True, True, strip, lower).normalize_str
            pieces |= {c for t in texts for c in normalize(t) if not c.isspace()}
    pieces = [c for i, c in enumerate(sorted(pieces)) if i % 11 != 5]
    return SPECIAL + pieces + ["##" + c for c in pieces] + ["the", "jump", "##ed", "##ed2", "quick", "str", "##asse"]


def wordpiece_tokenizer(vocabulary, lower, strip, chinese):
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(True, chinese, strip, lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(s, normalized=False) for s in SPECIAL])
    return tokenizer


def write_lines(path, tokenizer, options):
    with open(path, "a", encoding="utf-8") as out:
        for name, text in TEXTS.items():
            out.write(json.dumps({"name": name, **options, "text": text, "ids": tokenizer.encode(text).ids}) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("words.jsonl", "wordpiece.jsonl"):
        (folder / name).unlink(missing_ok=True)
    tokenizer = words_tokenizer(TEXTS.values())
    tokenizer.save(str(folder / "words" / "tokenizer.json"))
    write_lines(folder / "words.jsonl", tokenizer, {})
    vocabulary = wordpiece_vocabulary(TEXTS.values())
    (folder / "vocab.txt").write_text("".join(w + "\n" for w in vocabulary), encoding="utf-8", newline="\n")
    for lower, strip, chinese in ((True, True, True), (False, False, True), (True, False, False)):
        options = {"do_lower_case": lower, "strip_accents": strip, "tokenize_chinese_chars": chinese}
        write_lines(folder / "wordpiece.jsonl", wordpiece_tokenizer(vocabulary, lower, strip, chinese), options)


main()
