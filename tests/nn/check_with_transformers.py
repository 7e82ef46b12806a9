#!/usr/bin/env python3
"""Is a folder that rotary wrote the same model in transformers? By hand, where transformers and PyTorch are installed.

usage: check_with_transformers.py FOLDER INPUT.safetensors OUTPUT.safetensors

INPUT   input_ids [batch, seq_len] int64 and, if anything is padding, attention_mask of the same shape (1 is a token)
OUTPUT  what `rotary logits FOLDER --input INPUT --output OUTPUT` wrote: hidden_last [batch, seq_len, d_model]

Loads the folder into transformers' RoFormerModel and compares the last hidden states of all tokens but padding. Exit
status 0 only if they agree within 1e-4.
"""

import pathlib
import sys

import torch
import transformers
from safetensors.torch import load_file

TOLERANCE = 1e-4
TABLE = "encoder.embed_positions.weight"  # transformers makes it where a folder leaves it out
HEADS = ("classifier.", "cls.")


def load_model(folder):
    """RoFormerModel with every one of its weights from the folder."""
    if not (folder / "config.json").is_file():  # else it would be taken for a name
        sys.exit(f"{folder}: must be a folder with a config.json")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    model, report = transformers.RoFormerModel.from_pretrained(folder, dtype=torch.float32, output_loading_info=True,
                                                               local_files_only=True)
    missing = sorted(set(report["missing_keys"]) - {TABLE})
    unexpected = sorted(name for name in report["unexpected_keys"] if not name.startswith(HEADS))
    if missing or unexpected or report["mismatched_keys"]:
        sys.exit(f"{folder}: transformers misses {missing}, does not know {unexpected}, finds other shapes of "
                 f"{sorted(str(key) for key in report['mismatched_keys'])}")
    return model.eval()


def tensor(tensors, name, path):
    if name not in tensors:
        sys.exit(f"{path}: has no {name}")
    return tensors[name]


def run(model, inputs, path):
    """[batch, seq_len, d_model] and the mask."""
    ids = tensor(inputs, "input_ids", path)
    mask = inputs.get("attention_mask", torch.ones_like(ids))
    if ids.shape[1] > model.config.max_position_embeddings:
        sys.exit(f"{path}: seq_len must be at most max_position_embeddings {model.config.max_position_embeddings}, "
                 f"got {ids.shape[1]}")
    with torch.inference_mode():
        return model(input_ids=ids, attention_mask=mask).last_hidden_state, mask


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, source, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    theirs, mask = run(load_model(folder), load_file(source), source)
    ours = tensor(load_file(target), "hidden_last", target).float()
    if ours.shape != theirs.shape:
        sys.exit(f"{target}: hidden_last must be {list(theirs.shape)}, got {list(ours.shape)}")
    gaps = (ours - theirs).abs().amax(-1)[mask == 1]
    if not len(gaps):
        sys.exit(f"{source}: must have a token that is not padding")
    worst = gaps.max().item()
    good = worst <= TOLERANCE  # false for NaN
    verdict = "same" if good else "DIFFERENT"
    print(f"{len(gaps)} tokens, largest difference {worst:.2e}, allowed {TOLERANCE:.0e}: {verdict}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
