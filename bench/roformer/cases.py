"""What is timed: the shape of the model and of the batch, training or inference, dropout, dtype."""

import dataclasses

CLASSES = 8
VOCAB_SIZE = 16000


@dataclasses.dataclass(frozen=True)
class Case:
    """A classifier with a feed-forward of 4 d_model; batch documents of seq_len tokens, none of them padding."""

    d_model: int
    layers: int
    heads: int
    seq_len: int
    batch: int
    mode: str  # train or infer
    dropout: float = 0.0  # of hidden states and of attention weights
    dtype: str = "f32"  # or bf16: mixed precision in training, weights too in inference
    steps: int = 1  # of one round

    @property
    def name(self):
        dropout = f" dropout {self.dropout:g}" if self.mode == "train" else ""
        return f"{self.d_model}x{self.layers} {self.batch}x{self.seq_len} {self.mode} {self.dtype}{dropout}"

    @property
    def tokens(self):
        """Of one round."""
        return self.steps * self.batch * self.seq_len

    def options(self, threads):
        """The command line of the case, the same for every program that is timed."""
        values = {"layers": self.layers, "d-model": self.d_model, "heads": self.heads, "seq-len": self.seq_len,
                  "batch": self.batch, "mode": self.mode, "dtype": self.dtype, "dropout": self.dropout,
                  "attention-dropout": self.dropout, "vocab-size": VOCAB_SIZE, "classes": CLASSES,
                  "steps": self.steps, "threads": threads}
        return [text for name, value in values.items() for text in (f"--{name}", str(value))]


# d_model, layers, heads, seq_len, batch, training steps of a round (about a second or two)
SHAPES = ((64, 2, 2, 256, 32, 4), (128, 2, 4, 512, 16, 2), (256, 4, 4, 512, 8, 1))


def all_cases(dtypes, shapes=SHAPES):
    for *shape, steps in shapes:
        for dtype in dtypes:
            # transformers' default, and none at all: inside attention it is what keeps a peer from a fused kernel.
            yield Case(*shape, "train", 0.1, dtype, steps)
            yield Case(*shape, "train", 0.0, dtype, steps)
            yield Case(*shape, "infer", 0.0, dtype, 3 * steps)
