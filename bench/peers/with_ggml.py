"""ggml's rope operator on the CPU, float32 and float16; it computes its cosines and sines in every call."""

import ctypes as C
import pathlib

import numpy as np

from contest import BASE, DTYPES, Contender

TYPES = {"float32": 0, "float16": 1}
INT32 = 26
NORMAL, NEOX = 0, 2
# Its angles are products of float32 factors.
TOLERANCE = {"float32": 2e-3, "float16": 4e-3}


class InitParams(C.Structure):
    _fields_ = [("mem_size", C.c_size_t), ("mem_buffer", C.c_void_p), ("no_alloc", C.c_bool)]


class Plan(C.Structure):
    _fields_ = [("work_size", C.c_size_t), ("work_data", C.c_void_p), ("n_threads", C.c_int),
                ("threadpool", C.c_void_p), ("abort_callback", C.c_void_p), ("abort_callback_data", C.c_void_p),
                ("use_ref", C.c_bool)]


def load(build):
    # One process knows one ggml: the libraries are named by their paths.
    def find(stem):
        return C.CDLL(next((pathlib.Path(build) / "native").rglob(f"lib{stem}.so")), mode=C.RTLD_GLOBAL)

    base, cpu = find("ggml-base"), find("ggml-cpu")
    pointer, number, real = C.c_void_p, C.c_int, C.c_float
    base.ggml_init.argtypes, base.ggml_init.restype = [InitParams], pointer
    base.ggml_new_tensor.argtypes = [pointer, number, number, C.POINTER(C.c_int64)]
    base.ggml_new_tensor.restype = pointer
    base.ggml_get_data.argtypes, base.ggml_get_data.restype = [pointer], pointer
    for name in ("ggml_rope_ext", "ggml_rope_ext_inplace"):
        getattr(base, name).argtypes = [pointer] * 4 + [number] * 3 + [real] * 6
        getattr(base, name).restype = pointer
    base.ggml_new_graph.argtypes, base.ggml_new_graph.restype = [pointer], pointer
    base.ggml_build_forward_expand.argtypes = [pointer, pointer]
    cpu.ggml_graph_plan.argtypes, cpu.ggml_graph_plan.restype = [pointer, number, pointer], Plan
    cpu.ggml_graph_compute.argtypes = [pointer, C.POINTER(Plan)]
    cpu.ggml_cpu_init()
    return base, cpu


def new_tensor(base, context, array, kind):
    shape = (C.c_int64 * 4)(*([*reversed(array.shape)] + [1] * 4)[:4])
    out = base.ggml_new_tensor(context, kind, array.ndim, shape)
    C.memmove(base.ggml_get_data(out), array.ctypes.data, array.nbytes)
    return out


def contenders(case, build, threads):
    if case.dtype not in TYPES:
        return []
    base, cpu = load(build)
    x = case.input()
    positions = np.arange(case.first, case.first + case.tokens, dtype=np.int32)

    def make(in_place):
        context = base.ggml_init(InitParams(2 * x.nbytes + (8 << 20), None, False))
        operands = new_tensor(base, context, x, TYPES[case.dtype]), new_tensor(base, context, positions, INT32)
        rope = base.ggml_rope_ext_inplace if in_place else base.ggml_rope_ext
        mode = NEOX if case.pairing == "half" else NORMAL
        result = rope(context, *operands, None, case.dim, mode, 0, BASE, 1.0, 0.0, 1.0, 32.0, 1.0)
        graph = base.ggml_new_graph(context)
        base.ggml_build_forward_expand(graph, result)
        plan = cpu.ggml_graph_plan(graph, threads, None)
        work = C.create_string_buffer(max(1, plan.work_size))
        plan.work_data = C.addressof(work)

        def run(n, keep=(work,)):
            for _ in range(n):
                if cpu.ggml_graph_compute(graph, C.byref(plan)) != 0:
                    raise SystemExit("ggml: the graph must be computed")

        def output():
            data = (C.c_char * x.nbytes).from_address(base.ggml_get_data(result))
            return np.frombuffer(data, DTYPES[case.dtype])

        return Contender("ggml", in_place, run, output, TOLERANCE[case.dtype], "computes cos and sin")

    return [make(True), make(False)]
