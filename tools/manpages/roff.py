"""The running text of a manual page in man or mdoc macros, without what names its section of the manual.

No roff interpreter: pages are read line by line, and a macro that is not known gives its arguments. What is left out:
the header macros (.TH, .Dt, .Dd, .Os), every heading, the sections in _DROPPED whole, the number in every cross
reference (`open(2)` becomes `open`), tables, equations and pictures.
"""

import re

_DROPPED = re.compile(
    r"^(NAME|SYNOPSIS|SEE ALSO|AUTHORS?|COPYRIGHT.*|COLOPHON|REPORTING BUGS|LIBRARY|CREDITS|LICEN[CS]E|MAINTAINERS?|"
    r"DOCUMENT HISTORY|RESOURCES|COPYING|CONTACTS?|TRADEMARKS|HISTORY)\b", re.I)

_COMMENTS = ("'\\\"", '.\\"', "'''", '."')
_REQUEST = re.compile(r"^[.']\s*([A-Za-z0-9\\]+|\S\S?)\s*(.*)$")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')

# What stands between the macro and this line is not text.
_BLOCK_END = dict.fromkeys(("de", "de1", "am", "ig"), "..")
_BLOCK_END.update(TS=".TE", EQ=".EN", PS=".PE")

# Layout, definitions and conditions: nothing on their line is text.
_SILENT = frozenset(
    "TH Dt Dd Os so UC AT Nd Lb Rs Re PP P LP Pp br sp ne ti in nf fi ft ad na hy nh RS RE PD TE EN EX EE Bl El Bd Ed "
    "ta ds nr rm ie el if tr HP TP bp ce ps vs cs fp ns rs po ll TQ UE ME YS lf mso while Bk Ek eo ec pc als ev di da "
    "BS BE CS CE VS VE AS DS DE ZN Pn IX iX".split())

_JOINED = frozenset("BR IR RB RI BI IB".split())  # alternate fonts within one word

# mdoc macros, which may also stand as arguments and are no words then.
_MDOC = frozenset(
    "Ad An Ao Ap Aq Ar At Bc Bo Bq Brc Bro Brq Bsx Bx Cd Cm Dc Dl Do Dq Dv Dx Ec Ef Em Eo Er Es Ev Fa Fc Fl Fn Fo Fr "
    "Ft Fx Ic In Lb Li Lk Ms Mt Nd Nm No Ns Nx Oc Oo Op Os Ot Ox Pa Pc Pf Po Pq Qc Ql Qo Qq Sc Sm So Sq Sx Sy Tn Ux Va "
    "Vt Xc Xo Xr".split())

_GLYPHS = {
    "em": " - ", "en": "-", "hy": "-", "mi": "-", "bu": "*", "co": "(C)", "aq": "'", "cq": "'", "oq": "'", "lq": '"',
    "rq": '"', "dq": '"', "rs": "\\", "ti": "~", "ha": "^", "ga": "`", "->": "->", "<-": "<-", "<=": "<=", ">=": ">=",
    "==": "==", "!=": "!=", "mu": "x", "pl": "+", "+-": "+-", "if": "inf", "ss": "ss", "la": "<", "ra": ">", "lB": "[",
    "rB": "]", "lC": "{", "rC": "}", "or": "|", "ba": "|", "br": "|", "ul": "_", "sl": "/", "at": "@", "sh": "#",
    "Do": "$", "Eu": "EUR", "tm": "(TM)", "rg": "(R)", "o'": "o", "e'": "e", ":o": "o", ":u": "u", ":a": "a",
    "Lq": '"', "Rq": '"'}


def _glyph(match):
    return _GLYPHS.get(next(filter(None, match.groups()), ""), "")


def _character(match):
    code = int(match[1], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else ""


# In this order: an escape that names others inside it comes first.
_ESCAPES = [(re.compile(pattern), replacement) for pattern, replacement in (
    (r'\\"[^\n]*', ""),  # comment
    (r"\\f(\[[^\]]*\]|\(..|.)", ""),  # font
    (r"\\s(\[[^\]]*\]|[-+]?\d\d?|\([-+]?..|[-+]\(..)", ""),  # size
    (r"\\[hvwlLDZNbox]'[^']*'", " "),  # motions and drawings
    (r"\\[mMkF](\[[^\]]*\]|\(..|.)", ""),  # colours, marks, families
    (r"\\\*(?:\[([^\]]*)\]|\((..)|(.))", _glyph),  # strings
    (r"\\n(\[[^\]]*\]|\(..|[-+]?.)", ""),  # registers
    (r"\\\[u([0-9A-F]{4,6})\]", _character),
    (r"\\\[([^\]]*)\]", _glyph),
    (r"\\\((..)", _glyph),
    (r"\\[ ~0]", " "),
    (r"\\[&|^%:/,)!?cdtrup{}]", ""),
)]
_LITERALS = (("\\-", "-"), ("\\e", "\\"), ("\\'", "'"), ("\\`", "`"), ("\\.", "."), ("\\_", "_"))

_SECTION_NUMBERS = [(re.compile(pattern, re.I), replacement) for pattern, replacement in (
    (r"""(?<=[\w\]\)>+."'])\s?\(\s?([1-9][a-z]{0,9}|n)\s?\)""", ""),  # open(2), open (3posix), button(n)
    (r"\bman [1-9][a-z]{0,9}(?= \w)", "man"),  # man 3 printf
    (r"\b(in )?section [1-9]( of the manual)?\b", " "),
)]


def unescape(text):
    """`text` with its roff escapes replaced by the characters they stand for, or by nothing."""
    if "\\" not in text:
        return text
    for pattern, replacement in _ESCAPES:
        text = pattern.sub(replacement, text)
    for escape, character in _LITERALS:
        text = text.replace(escape, character)
    return text


def arguments(text):
    """The arguments of a macro: words, or quoted strings in which "" stands for a quote."""
    return [word or quoted.replace('""', '"') for quoted, word in _ARGUMENT.findall(text)]


def hide_section_numbers(text):
    """`text` without the numbers that name sections of the manual, its white space made single spaces."""
    for pattern, replacement in _SECTION_NUMBERS:
        text = pattern.sub(replacement, text)
    text = re.sub(r"[\x00-\x1f\x7f]", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def strip_roff(source):
    """The running text of a page, a single line; what is left out stands at the top of this file."""
    mdoc = ".Dt" in source or ".Sh" in source
    pieces, dropping = [], True  # what comes before the first heading is no text
    lines = _joined_lines(source)
    for line in lines:
        if line.startswith(_COMMENTS):
            continue
        request = _REQUEST.match(line)
        if request is None:
            if not dropping and line not in (".", "'"):
                pieces.append(unescape(line))
            continue
        macro, rest = request.groups()
        if macro in _BLOCK_END:
            _skip_past(lines, _BLOCK_END[macro])
        elif macro in ("SH", "Sh"):
            heading = " ".join(arguments(unescape(rest))).strip() or unescape(next(lines, "")).strip()
            dropping = bool(_DROPPED.match(heading))
        elif not dropping and macro not in ("SS", "Ss") and macro not in _SILENT:
            pieces.append(_macro_text(macro, arguments(unescape(rest)), mdoc))
    return hide_section_numbers(" ".join(pieces))


def _joined_lines(source):
    """The lines of a page; one that ends with a single backslash goes on in the next."""
    lines = iter(source.split("\n"))
    for line in lines:
        while line.endswith("\\") and not line.endswith("\\\\"):
            following = next(lines, None)
            line = line[:-1] + (following or "")
            if following is None:
                break
        yield line


def _skip_past(lines, end):
    for line in lines:
        if line.startswith(end):
            return


def _macro_text(macro, words, mdoc):
    """What the line of a macro adds to the text."""
    if macro in _JOINED:
        return "".join(words)
    if macro == "IP":  # the tag of a list's item; a number is no word
        return words[0] if words and not re.fullmatch(r"[\d.]+[a-z]?", words[0]) else ""
    if macro == "Xr":  # name, section, punctuation
        return "".join(words[:1] + [word for word in words[2:] if len(word) == 1])
    if macro == "OP":
        return "[" + " ".join(words) + "]"
    if not mdoc and macro not in _MDOC:
        return " ".join(words)
    words = [word for word in words if word not in _MDOC]
    if macro == "Fl":
        words = ["-" + (words[0] if words else "")] + words[1:]
    text = " ".join(words)
    return text if macro == "Nm" else re.sub(r" ([.,;:)])", r"\1", text)
