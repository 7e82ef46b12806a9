#!/usr/bin/env python3
"""transformers' RoFormerForSequenceClassification as released, or compiled, with PyTorch's fused AdamW (what its
Trainer takes). Started by compare.py; does a round for every line that it reads (see rounds.py)."""

import argparse
import json
import sys
import time

# Freed memory is kept: without this every step pays for fresh pages, which costs these peers a third of their speed.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "8589934592"}


def makers(case, threads, keep_memory):
    """eager and compiled: name, command, environment."""
    command = [sys.executable, __file__, *case.options(threads)]
    environment = {"OMP_NUM_THREADS": str(threads), **(KEEP_MEMORY if keep_memory else {})}
    return [("eager", command, environment), ("compiled", [*command, "--compiled"], environment)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("layers", "d-model", "heads", "seq-len", "batch", "vocab-size", "classes", "steps", "threads"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--mode", choices=("train", "infer"), required=True)
    parser.add_argument("--dtype", choices=("f32", "bf16"), required=True)
    parser.add_argument("--dropout", type=float, required=True)
    parser.add_argument("--attention-dropout", type=float, required=True)
    parser.add_argument("--compiled", action="store_true")
    return parser.parse_args()


def make_model(options):
    from transformers import RoFormerConfig, RoFormerForSequenceClassification

    return RoFormerForSequenceClassification(RoFormerConfig(
        vocab_size=options.vocab_size, hidden_size=options.d_model, num_hidden_layers=options.layers,
        num_attention_heads=options.heads, intermediate_size=4 * options.d_model, num_labels=options.classes,
        max_position_embeddings=options.seq_len, hidden_dropout_prob=options.dropout,
        attention_probs_dropout_prob=options.attention_dropout))


def make_batch(torch, options):
    shape = (options.batch, options.seq_len)
    ids = torch.randint(1, options.vocab_size, shape)  # 0 is padding
    return {"input_ids": ids, "attention_mask": torch.ones(shape, dtype=torch.long),
            "labels": torch.randint(0, options.classes, (options.batch,))}


def trainer(torch, model, batch, options):
    """A step: forward, cross entropy, backward, AdamW. Returns the loss."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98), weight_decay=0.01, fused=True)

    def loss_of(inputs):
        with torch.autocast("cpu", torch.bfloat16, enabled=options.dtype == "bf16"):
            return model(**inputs).loss

    forward = torch.compile(loss_of) if options.compiled else loss_of

    def step():
        optimizer.zero_grad()
        loss = forward(batch)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def classifier(torch, model, batch, options):
    """A step: forward, without gradients."""
    model.eval()
    if options.dtype == "bf16":
        model.bfloat16()
    forward = torch.compile(model) if options.compiled else model
    inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}

    def step():
        with torch.inference_mode():
            return forward(**inputs).logits.float().sum().item()

    return step


def main():
    options = parse()
    import torch

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    batch = make_batch(torch, options)
    make_step = trainer if options.mode == "train" else classifier
    step = make_step(torch, make_model(options), batch, options)
    tokens = options.steps * batch["input_ids"].numel()
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(options.steps):
            result = step()
        answer = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu, "tokens": tokens}
        if options.mode == "train":
            answer["loss"] = result
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
