"""rotary: the program as a user starts it, with no help from the environment. It has no dropout inside attention."""

DTYPES = {"f32": "float32", "bf16": "bfloat16"}


def maker(case, program, threads):
    options = case.options(threads)
    given = dict(zip(options[::2], options[1::2]))
    del given["--attention-dropout"]
    given["--dtype"] = DTYPES[given["--dtype"]]
    return "rotary", [program, "bench-model", *(text for pair in given.items() for text in pair), "--serve"], {}
