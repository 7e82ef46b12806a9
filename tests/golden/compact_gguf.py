#!/usr/bin/env python3
"""Shrinks GGUF files to what says something about the rotation: the metadata but for the tokenizer's, and the tensors of
frequency factors.

usage: compact_gguf.py OUT FOLDER...    FOLDER/model.gguf and FOLDER/config.json -> OUT/NAME.gguf and OUT/NAME.json
"""
import json
import os
import struct
import sys

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
ALIGNMENT = 32


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.number("Q"))

    def skip(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            element, count = self.number("I"), self.number("Q")
            for _ in range(count):
                self.skip(element)
        else:
            self.take(SIZES[kind])


def compact(data):
    reader = Reader(data)
    assert reader.take(4) == b"GGUF" and reader.number("I") == 3
    num_tensors, num_keys = reader.number("Q"), reader.number("Q")
    keys = []
    for _ in range(num_keys):
        begin = reader.at
        name = reader.text()
        reader.skip(reader.number("I"))
        if not name.startswith(b"tokenizer."):
            keys.append(data[begin:reader.at])
    tensors = []
    for _ in range(num_tensors):
        name = reader.text()
        extents = [reader.number("Q") for _ in range(reader.number("I"))]
        tensors.append((name, extents, reader.number("I"), reader.number("Q")))
    base = (reader.at + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    tensors = [t for t in tensors if t[0].startswith(b"rope_")]
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys)
    blob = b""
    for name, extents, kind, offset in tensors:
        assert kind == 0 and len(extents) == 1
        out += struct.pack("<Q", len(name)) + name + struct.pack("<IQIQ", 1, extents[0], kind, len(blob))
        blob += data[base + offset:base + offset + 4 * extents[0]]
        blob += bytes(-len(blob) % ALIGNMENT)
    return out + bytes(-len(out) % ALIGNMENT) + blob


def main():
    out, folders = sys.argv[1], sys.argv[2:]
    for folder in folders:
        name = os.path.basename(folder.rstrip("/"))
        with open(os.path.join(folder, "model.gguf"), "rb") as file:
            data = compact(file.read())
        with open(os.path.join(out, name + ".gguf"), "wb") as file:
            file.write(data)
        config = json.load(open(os.path.join(folder, "config.json")))
        with open(os.path.join(out, name + ".json"), "w") as file:
            json.dump(config, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
