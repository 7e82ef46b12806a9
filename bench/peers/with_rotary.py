"""rotary, through its C interface."""

import ctypes as C
import pathlib

import numpy as np

from contest import DTYPES, ROUNDED_ONCE, Contender, aligned

RANGE = 1


class Pair(C.Structure):
    _fields_ = [(end, C.c_int32) for end in "abcd"]


class Map(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("channels", C.c_int32), ("num_axes", C.c_int32), ("num_sets", C.c_int32),
                ("num_pairs", C.c_int32), ("pairs", C.POINTER(Pair)), ("frequency", C.c_void_p),
                ("attention_factor", C.c_double), ("frequency_low", C.c_void_p), ("pass_to", C.c_void_p)]


class RotationOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("arithmetic", C.c_int32), ("table_rows", C.c_int64),
                ("seq_len", C.c_int64)]


class Tensor(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("data", C.c_void_p), ("dtype", C.c_int32), ("rank", C.c_int32),
                ("shape", C.c_int64 * 4), ("strides", C.c_int64 * 4)]


class Positions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("kind", C.c_int32), ("ids_dtype", C.c_int32), ("first", C.c_int64),
                ("offsets", C.c_void_p), ("num_offsets", C.c_int64), ("ids", C.c_void_p), ("num_ids", C.c_int64),
                ("num_axes", C.c_int32), ("per_sequence", C.c_int32), ("cu_seqlens", C.c_void_p),
                ("num_cu_seqlens", C.c_int64)]


class Options(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("num_threads", C.c_int32), ("executor", C.c_void_p), ("limit", C.c_int64)]


def sized(structure, **fields):
    return structure(struct_size=C.sizeof(structure), **fields)


def load(build):
    lib = C.CDLL(pathlib.Path(build) / "rotary" / "librotary.so")
    lib.rotary_last_error.restype = C.c_char_p
    lib.rotary_table.argtypes = [C.c_void_p, C.c_void_p, C.c_int64, C.c_int32, C.c_void_p, C.c_void_p]
    return lib


def require_ok(lib, status):
    if status != 0:
        raise SystemExit(f"rotary: {lib.rotary_last_error().decode()}")


def make_rotation(lib, case, table_rows):
    half = case.dim // 2
    at = [(i, i + half) if case.pairing == "half" else (2 * i, 2 * i + 1) for i in range(half)]
    pairs = (Pair * half)(*[Pair(a, b, a, b) for a, b in at])
    frequency = np.ascontiguousarray(case.frequencies)
    rotation_map = sized(Map, channels=case.dim, num_axes=1, num_sets=1, num_pairs=half, pairs=pairs,
                         frequency=frequency.ctypes.data, attention_factor=1.0)
    rotation = C.c_void_p()
    options = sized(RotationOptions, table_rows=table_rows)
    require_ok(lib, lib.rotary_rotation_from_map(C.byref(rotation_map), C.byref(options), C.byref(rotation)))
    return rotation


def tensor(x):
    dtype = {"float32": 1, "float16": 2, "bfloat16": 3}[x.dtype.name]
    strides = [s // x.itemsize for s in x.strides]
    return sized(Tensor, data=x.ctypes.data, dtype=dtype, rank=3, shape=(C.c_int64 * 4)(*x.shape),
                 strides=(C.c_int64 * 4)(*strides))


def contenders(case, build, threads):
    lib = load(build)
    repeat = C.CDLL(pathlib.Path(build) / "native" / "libpeers.so").repeat_apply
    rotation = make_rotation(lib, case, case.first + case.tokens)
    positions, options = sized(Positions, kind=RANGE, first=case.first), sized(Options, num_threads=threads)

    def make(in_place):
        x = case.input()
        out = x if in_place else aligned(case.shape, DTYPES[case.dtype])
        views = tensor(x), tensor(out)

        def run(n, keep=(x, out)):  # views hold bare addresses
            require_ok(lib, repeat(lib.rotary_apply, rotation, C.byref(views[0]),
                                   None if in_place else C.byref(views[1]), C.byref(positions), C.byref(options), n))

        return Contender("rotary", in_place, run, lambda: out, ROUNDED_ONCE[case.dtype])

    return [make(True), make(False)]
