#!/usr/bin/env python3
"""Makes the small copies of transformers' RoFormer checkpoints in tests/golden/nn.

    compact_roformer.py OUT FOLDER...

FOLDER is one of the tiny checkpoints roformer_* of the golden data set (models/, see FORMAT.md there): config.json,
model.safetensors, expected.safetensors and meta.json, recorded with transformers 5.24.0 on PyTorch 2.15.0 (CPU, float32).
OUT/NAME gets config.json as it is; model.safetensors in float16, which holds every weight exactly (checked here), without
the table of sines and cosines, which it would not; expected.safetensors without what goes into and comes out of single
rotations, and with the noise of meta.json in its metadata. Standard library only.
"""
import argparse, json, os, shutil, struct

TABLE = "encoder.embed_positions.weight"


def read(path):
    """name -> (dtype, shape, bytes)"""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        body = file.read()
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], body[slice(*t["data_offsets"])]) for name, t in header.items()}


def write(path, tensors, metadata):
    header, body = {"__metadata__": metadata}, b""
    for name, (dtype, shape, data) in sorted(tensors.items(), key=lambda item: (item[1][0] != "I64", item[0])):
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def halved(name, tensor):
    dtype, shape, data = tensor
    assert dtype == "F32", (name, dtype)
    values = struct.unpack(f"<{len(data) // 4}f", data)
    half = struct.pack(f"<{len(values)}e", *values)
    assert struct.unpack(f"<{len(values)}e", half) == values, f"{name} is not exact in float16"
    return "F16", shape, half


def compact(folder, out):
    os.makedirs(out, exist_ok=True)
    shutil.copyfile(os.path.join(folder, "config.json"), os.path.join(out, "config.json"))
    weights = read(os.path.join(folder, "model.safetensors"))
    kept = {name: halved(name, t) for name, t in weights.items() if not name.endswith(TABLE)}
    assert len(kept) == len(weights) - 1, "one table is expected"
    write(os.path.join(out, "model.safetensors"), kept, {"format": "pt"})
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    expected = read(os.path.join(folder, "expected.safetensors"))
    write(os.path.join(out, "expected.safetensors"),
          {name: t for name, t in expected.items() if not name.startswith("layer0_")},
          {"noise_max_abs": repr(meta["noise_max_abs"]), "made_by": "compact_roformer.py",
           "transformers": meta["transformers"], "torch": meta["torch"]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        compact(folder, os.path.join(arguments.out, os.path.basename(os.path.normpath(folder))))


if __name__ == "__main__":
    main()
