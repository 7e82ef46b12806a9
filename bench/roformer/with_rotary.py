"""rotary: the program as a user starts it, with no help from the environment."""


def maker(case, program, threads):
    return "rotary", [program, "bench", *case.options(threads), "--serve"], {}
