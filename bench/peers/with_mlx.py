"""MLX on the CPU: mlx.core.fast.rope, which computes its cosines and sines in every call."""

import mlx.core as mx
import numpy as np

from contest import BASE, Contender

# Its own float32 angles; and, in 16 bits, its own cosines.
TOLERANCE = {"float32": 2e-3, "float16": 4e-2, "bfloat16": 4e-2}


def contenders(case, build, threads):
    del build
    if threads > 1:
        return []
    mx.set_default_device(mx.cpu)
    dtype = getattr(mx, case.dtype)
    x = mx.array(case.input().astype(np.float32)).astype(dtype)[None].transpose(0, 2, 1, 3)
    mx.eval(x)
    last = []

    def run(n):
        for _ in range(n):
            last[:] = [mx.fast.rope(x, case.dim, traditional=case.pairing == "interleaved", base=BASE, scale=1.0,
                                    offset=case.first)]
            mx.eval(last[0])

    def output():
        return np.array(last[0].astype(mx.float32))[0].transpose(1, 0, 2)

    return [Contender("MLX", False, run, output, TOLERANCE[case.dtype], "computes cos and sin")]
