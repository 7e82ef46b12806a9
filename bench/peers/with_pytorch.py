"""PyTorch, eager and compiled: what transformers models run (half), what Meta's Llama code runs (interleaved)."""

import numpy as np
import torch

from contest import ROUNDED_OFTEN, ROUNDED_ONCE, Contender

torch.set_grad_enabled(False)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def apply_half(x, cos, sin):
    return x * cos + rotate_half(x) * sin


def apply_complex(x, turns):
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)


# For the compiler, which has no complex numbers.
def apply_pairs(x, cos, sin):
    first, second = x[..., 0::2].float(), x[..., 1::2].float()
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2).type_as(x)


def to_torch(x, dtype):
    if dtype == "bfloat16":
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def contenders(case, build, threads):
    del build
    torch.set_num_threads(threads)
    torch.compiler.reset()
    # [batch][head][token][channel] as a view of [token][head][channel], as after a projection.
    x = to_torch(case.input(), case.dtype).unsqueeze(0).transpose(1, 2)
    angles = torch.from_numpy(case.angles())
    if case.pairing == "half":
        full = torch.cat((angles, angles), dim=-1)[None, None]
        eager = compiled = full.cos().to(x.dtype), full.sin().to(x.dtype)
        applied, for_compiler, tolerance = apply_half, apply_half, ROUNDED_OFTEN[case.dtype]
    else:
        eager = (torch.polar(torch.ones_like(angles), angles).to(torch.complex64)[None, None],)
        compiled = angles.cos().float()[None, None], angles.sin().float()[None, None]
        applied, for_compiler, tolerance = apply_complex, apply_pairs, ROUNDED_ONCE[case.dtype]

    def make(name, function, operands):
        last = []

        def run(n):
            for _ in range(n):
                last[:] = [function(x, *operands)]

        return Contender(name, False, run, lambda: last[0][0].transpose(0, 1).float().numpy(), tolerance)

    return [make("PyTorch", applied, eager), make("PyTorch, compiled", torch.compile(for_compiler), compiled)]
