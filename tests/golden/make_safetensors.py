#!/usr/bin/env python3
"""Makes tests/golden/safetensors with the format's own library (safetensors, numpy, ml_dtypes).

    make_safetensors.py OUT

What a file holds is recorded as that library reads it back, and the numbers as NumPy and ml_dtypes widen them.
"""
import json, os, sys

import ml_dtypes, numpy, safetensors
from safetensors.numpy import save_file

FLOATS = [0.0, -0.0, 1.0, -1.5, 1 / 3, 65504.0, 6e-8, 2.0**-149, 3e38, -1e39, float("inf"), float("nan")]
# Name of the format -> name of NumPy or ml_dtypes.
TYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
    "C64": "complex64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
}

def numbers(name):
    dtype = numpy.dtype(getattr(ml_dtypes, TYPES[name], TYPES[name]))
    if name in ("F64", "F32", "F16", "BF16"):
        with numpy.errstate(over="ignore"):
            return numpy.array(FLOATS, numpy.float64).astype(dtype).reshape(3, 4)
    if name[0] in "IU":
        limits = numpy.iinfo(dtype)
        return numpy.array([limits.min, 0, 1, limits.max], dtype)
    return numpy.array([0, 1, 1], numpy.float32).astype(dtype)


def expected(array):
    """Shape, bytes, and the numbers: float32 by their bits, integers as they are, or nothing."""
    out = {"shape": list(array.shape), "bytes": array.tobytes().hex()}
    name = str(array.dtype)
    if name in ("float64", "float32", "float16", "bfloat16"):
        with numpy.errstate(over="ignore"):
            out["float_bits"] = array.astype(numpy.float32).view(numpy.uint32).ravel().tolist()
    elif array.dtype.kind in "iub" and name != "uint64" and "float" not in name:
        out["int64"] = array.astype(numpy.int64).ravel().tolist()
    return out


def write_every_type(folder):
    arrays = {name: numbers(name) for name in TYPES}
    arrays["empty"] = numpy.zeros((2, 0, 3), numpy.float32)
    arrays["scalar"] = numpy.array(-2.5, numpy.float32)
    arrays['quote " and ü'] = numpy.array([7], numpy.int8)
    path = os.path.join(folder, "every_type.safetensors")
    metadata = {"format": "np", "note": "line\nü"}
    save_file(arrays, path, metadata)
    with open(path, "rb") as file:
        stored = dict(safetensors.deserialize(file.read()))
    records = {}
    for name, array in arrays.items():
        assert bytes(stored[name]["data"]) == array.tobytes()
        records[name] = {"dtype": stored[name]["dtype"], **expected(array)}
    with open(os.path.join(folder, "every_type.json"), "w") as file:
        json.dump({"metadata": metadata, "tensors": records}, file, indent=0)
        file.write("\n")


def write_shards(folder):
    os.makedirs(folder, exist_ok=True)
    shards = [{"first": numpy.arange(6, dtype=numpy.float32).reshape(2, 3)},
              {"second": numpy.arange(4, dtype=numpy.float16), "third": numpy.array([3], numpy.int64)}]
    weight_map = {}
    for i, arrays in enumerate(shards):
        file = f"model-{i + 1:05}-of-{len(shards):05}.safetensors"
        save_file(arrays, os.path.join(folder, file), {"format": "pt"})
        weight_map.update({name: file for name in arrays})
    size = sum(a.nbytes for arrays in shards for a in arrays.values())
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump({"metadata": {"total_size": size}, "weight_map": weight_map}, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    write_every_type(sys.argv[1])
    write_shards(os.path.join(sys.argv[1], "sharded"))
