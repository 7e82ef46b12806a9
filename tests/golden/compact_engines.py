"""Compact copies of the recorded calls of other engines' rotary operators that tests/core reads: engines/.

usage: python compact_engines.py ENGINES_DIR

Of every group of records that differ in nothing but sizes and numbers the smallest is kept, arrays that are equal once. The
format stays that of ENGINES_DIR (its FORMAT.md): an index.json per folder, less what no test reads, and one safetensors file.
"""
import json
import math
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("onnx-node-tests", "onnx-rotary", "ort-contrib", "ggml", "mlx", "torchtune", "timm", "diffusers", "keras-hub",
           "x-transformers", "rotary-embedding-torch", "torchscale")
SIZES = ("dim", "dims", "n_dims", "head_dim", "num_heads", "rotary_embedding_dim", "corr_dims", "sections", "mrope_section", "embed_dim",
         "attention_head_dim", "t_dim", "h_dim", "w_dim", "query_offset")
ELEMENT = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "BOOL": 1}


def read_safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    (size,) = struct.unpack("<Q", data[:8])
    out = {}
    for name, t in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = t["data_offsets"]
            out[name] = (t["dtype"], t["shape"], data[8 + size + begin:8 + size + end])
    return out


def write_safetensors(path, tensors):
    header, at = {}, 0
    items = sorted(tensors.items(), key=lambda item: (-ELEMENT[item[1][0]], item[0]))
    for name, (dtype, shape, data) in items:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(t[2] for _, t in items))


def arrays(case):
    return {**case.get("inputs", {}), **case.get("outputs", {})}


def ggml_key(case, attributes):
    """Every variant in one mode, the plain one in all; sections by their pattern; half types and gradients once per mode."""
    plain = "/plain/" in case["id"]
    if case["op"].endswith("_back") or case["id"].endswith("f16"):
        return attributes["mode"]
    if "sections" in case["attributes"] and plain:
        sections, pairs = case["attributes"]["sections"], case["attributes"]["n_dims"] // 2
        return attributes["mode"], [s == 0 for s in sections], (sum(sections) > pairs) - (sum(sections) < pairs), 3 * max(sections) > sum(sections) + 2
    several = "sections" in case["attributes"]
    return {k: v for k, v in attributes.items() if k != "mode" or plain or several or "n_offs" in attributes and attributes["n_offs"]}


def key(folder, case):
    """What a record shows beside sizes and numbers."""
    attributes = {k: v for k, v in case["attributes"].items() if k not in SIZES}
    partial = bool(re.search(r"D(\d+)_[Rn](?!0)(?!\1/)", case["id"] + "/"))
    if folder == "mlx" and partial:
        attributes = {"traditional": attributes.get("traditional")}  # one of every dtype: a slice has nothing to do with positions
    if folder == "onnx-node-tests":
        return case["id"]
    if folder in ("onnx-rotary", "ort-contrib") and partial:
        return json.dumps([attributes.get("interleaved"), next(iter(case["inputs"].values()))["dtype"]])  # as above
    if folder == "x-transformers" and attributes:
        partial = None
    if folder == "ggml" and "mode" in attributes:
        attributes = ggml_key(case, attributes)
        partial = None
    if folder in ("timm", "diffusers"):
        return re.sub(r"/(dim|wan/)\d+", "", case["id"])
    first = next(iter(case["inputs"].values()), {})
    shape = len(first.get("shape", ())), 0 in first.get("shape", ())
    return json.dumps([case["op"], attributes, partial, first.get("dtype"), shape, sorted(case["inputs"]), sorted(case["outputs"]),
                       len(case["inputs"].get("position_ids", {}).get("shape", ()))], sort_keys=True)


def is_attention(case):
    return case["op"] == "Attention" or "GroupQueryAttention" in case["op"]


def chosen(folder, cases):
    best = {}
    for case in cases:
        if is_attention(case) or ("behaviour" not in case and not case["outputs"]):
            continue
        k = case["id"] if "behaviour" in case else key(folder, case)
        size = sum(math.prod(t["shape"]) * ELEMENT[t["dtype"]] for t in arrays(case).values())
        if k not in best or size < best[k][0]:
            best[k] = (size, case)
    return [case for _, case in best.values()]


def compact(source, folder):
    with open(f"{source}/{folder}/index.json") as f:
        cases = chosen(folder, json.load(f)["cases"])
    files, kept, names, lines = {}, {}, {}, []
    for case in cases:
        if "behaviour" in case:
            fields = ("id", "op", "attributes", "behaviour") + (("message",) if folder == "ggml" else ())
            lines.append({k: case[k] for k in fields})
            continue
        tensors = files.setdefault(case["file"], None) or read_safetensors(f"{source}/{folder}/{case['file']}")
        files[case["file"]] = tensors
        line = {"id": case["id"], "op": case["op"], "attributes": case["attributes"], "file": "records.safetensors"}
        for kind in ("inputs", "outputs"):
            line[kind] = {}
            tables = kind == "outputs" and any(name.startswith("y") for name in case[kind])
            for name, t in case[kind].items():
                if tables and re.search("cos|sin|emb|cache|freqs", name):
                    continue  # the data rotated by them is there
                array = tensors[t["tensor"]]
                content = array[0], tuple(array[1]), array[2]
                names.setdefault(content, str(len(names)))
                kept[names[content]] = array
                line[kind][name] = {"tensor": names[content]}
        lines.append(line)
    os.makedirs(f"{HERE}/engines/{folder}", exist_ok=True)
    with open(f"{HERE}/engines/{folder}/index.json", "w") as f:
        f.write('{"cases": [\n' + ",\n".join(json.dumps(line) for line in lines) + "\n]}\n")
    write_safetensors(f"{HERE}/engines/{folder}/records.safetensors", kept)
    print(folder, len(lines), "records,", sum(len(a[2]) for a in kept.values()), "bytes")


for name in FOLDERS:
    compact(sys.argv[1], name)
