"""Two training steps of a tiny RoFormer classifier in plain PyTorch, in double: training_step and second_step.

usage: python make_training_step.py      (needs torch, transformers and safetensors; takes seconds)

Nothing is taken from a library but the tensors' names; that transformers' RoFormerModel is the same function is
checked, and so is the same model with half pairing. README.md says what the files hold.
"""

import os

import numpy as np
import torch
import transformers
from safetensors.torch import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, WIDTH, HEADS, LAYERS, FEED_FORWARD, CLASSES, LENGTH = 50, 16, 2, 2, 32, 3, 7
HEAD = WIDTH // HEADS
EPSILON, BASE = 1e-12, 10000.0
SEED = 20262171  # one step is clipped and one is not; no gradient is so small that rounding decides its sign
LEARNING_RATE, BETAS, ADAM_EPSILON, WEIGHT_DECAY, CLIP = 1e-3, (0.9, 0.98), 1e-8, 0.01, 1.0

# Two documents each, of 7 and 5 tokens, then of 4 and 7; 0 is padding. Tokens come back within a document and across.
BATCHES = [
    {"input_ids": [[3, 17, 42, 8, 17, 5, 29], [11, 42, 2, 49, 11, 0, 0]], "labels": [2, 0]},
    {"input_ids": [[7, 3, 3, 21, 0, 0, 0], [30, 8, 49, 1, 16, 42, 25]], "labels": [0, 0]},
]


def tensors_of(batch):
    ids = torch.tensor(batch["input_ids"])
    return ids, (ids != 0).long(), torch.tensor(batch["labels"])


def linear(name, out, width):
    yield f"{name}.weight", (out, width)
    yield f"{name}.bias", (out,)


def norm(name):
    yield f"{name}.weight", (WIDTH,)
    yield f"{name}.bias", (WIDTH,)


def shapes():
    yield "roformer.embeddings.word_embeddings.weight", (VOCAB, WIDTH)
    yield "roformer.embeddings.token_type_embeddings.weight", (2, WIDTH)
    yield from norm("roformer.embeddings.LayerNorm")
    for i in range(LAYERS):
        layer = f"roformer.encoder.layer.{i}"
        for part in ("query", "key", "value"):
            yield from linear(f"{layer}.attention.self.{part}", WIDTH, WIDTH)
        yield from linear(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        yield from norm(f"{layer}.attention.output.LayerNorm")
        yield from linear(f"{layer}.intermediate.dense", FEED_FORWARD, WIDTH)
        yield from linear(f"{layer}.output.dense", WIDTH, FEED_FORWARD)
        yield from norm(f"{layer}.output.LayerNorm")
    yield from linear("classifier", CLASSES, WIDTH)


def make_weights():
    """Exact in float32, held in double. Attention is uneven, no bias is 0, no norm is the identity."""
    random = np.random.RandomState(SEED)
    weights = {}
    for name, shape in shapes():
        values = random.normal(0.0, 0.7 if "embeddings.weight" in name else 0.35, shape)
        if "LayerNorm.weight" in name:
            values = 1.0 + 0.5 * values
        weights[name] = torch.tensor(values.astype(np.float32)).double().requires_grad_()
    return weights


def rotate(x, pairing):
    """[batch][head][token][channel] by its token's position."""
    angles = torch.arange(x.shape[2]).double()[:, None] * BASE ** (-torch.arange(0, HEAD, 2).double() / HEAD)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    half = HEAD // 2
    first, second = (x[..., 0::2], x[..., 1::2]) if pairing == "interleaved" else (x[..., :half], x[..., half:])
    turned = first * cos - second * sin, first * sin + second * cos
    return torch.stack(turned, -1).flatten(-2) if pairing == "interleaved" else torch.cat(turned, -1)


class Model:
    def __init__(self, weights, pairing="interleaved"):
        self.weights, self.pairing = weights, pairing

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (centred.square().mean(-1, keepdim=True) + EPSILON).sqrt()
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, layer, x, mask):
        def heads(part):
            return self.linear(f"{layer}.attention.self.{part}", x).unflatten(-1, (HEADS, HEAD)).transpose(1, 2)

        query, key = (rotate(heads(part), self.pairing) for part in ("query", "key"))
        scores = query @ key.transpose(-1, -2) / HEAD**0.5
        weights = scores.masked_fill(mask[:, None, None, :] == 0, -torch.inf).softmax(-1)
        joined = (weights @ heads("value")).transpose(1, 2).flatten(-2)
        return self.linear(f"{layer}.attention.output.dense", joined)

    def hidden(self, ids, mask):
        words = self.weights["roformer.embeddings.word_embeddings.weight"][ids]
        types = self.weights["roformer.embeddings.token_type_embeddings.weight"][0]
        x = self.norm("roformer.embeddings.LayerNorm", words + types)
        for i in range(LAYERS):
            layer = f"roformer.encoder.layer.{i}"
            x = self.norm(f"{layer}.attention.output.LayerNorm", x + self.attention(layer, x, mask))
            inner = self.linear(f"{layer}.intermediate.dense", x)
            inner = 0.5 * inner * (1.0 + torch.erf(inner / 2**0.5))
            x = self.norm(f"{layer}.output.LayerNorm", x + self.linear(f"{layer}.output.dense", inner))
        return x

    def logits(self, hidden, mask):
        real = mask[..., None].to(hidden.dtype)
        return self.linear("classifier", (hidden * real).sum(1) / real.sum(1))

    def loss(self, ids, mask, labels):
        logits = self.logits(self.hidden(ids, mask), mask)
        return (logits.logsumexp(-1) - logits[torch.arange(len(labels)), labels]).mean()


def make_optimizer(weights):
    matrices = [w for w in weights.values() if w.dim() == 2]  # the embeddings too
    others = [w for w in weights.values() if w.dim() != 2]
    groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=BETAS, eps=ADAM_EPSILON)


def train(weights):
    """Steps on the two batches; yields loss, unclipped gradients, their norm, the weights' change since the start."""
    start = {name: w.detach().clone() for name, w in weights.items()}
    optimizer = make_optimizer(weights)
    for batch in BATCHES:
        optimizer.zero_grad()
        loss = Model(weights).loss(*tensors_of(batch))
        loss.backward()
        gradients = {name: w.grad.clone() for name, w in weights.items()}
        size = torch.nn.utils.clip_grad_norm_(weights.values(), CLIP)
        optimizer.step()
        yield loss.detach(), gradients, size, {name: w.detach() - start[name] for name, w in weights.items()}


def to_half(weights):
    """The same function in half pairing: a head's rows 2i of query and key become rows i, rows 2i + 1 i + HEAD / 2."""
    order = torch.tensor([h * HEAD + c for h in range(HEADS) for c in (*range(0, HEAD, 2), *range(1, HEAD, 2))])
    moved = ("self.query", "self.key")
    return {name: w.detach()[order] if any(m in name for m in moved) else w.detach() for name, w in weights.items()}


def check_half(weights, hidden, ids, mask):
    other = Model(to_half(weights), "half").hidden(ids, mask)
    wrong = Model(weights, "half").hidden(ids, mask)
    assert (other - hidden)[mask == 1].abs().max() < 1e-13
    assert (wrong - hidden)[mask == 1].abs().max() > 1e-2  # the check can fail


def check_transformers(weights, hidden, ids, mask):
    config = transformers.RoFormerConfig(
        vocab_size=VOCAB, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        intermediate_size=FEED_FORWARD, max_position_embeddings=LENGTH, layer_norm_eps=EPSILON)
    model = transformers.RoFormerModel(config).double().eval()
    state = {name.removeprefix("roformer."): w.detach() for name, w in weights.items() if name.startswith("roformer.")}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert missing == ["encoder.embed_positions.weight"] and not unexpected, (missing, unexpected)
    with torch.no_grad():
        theirs = model(input_ids=ids, attention_mask=mask).last_hidden_state
    gap = (theirs - hidden)[mask == 1].abs().max()
    assert gap < 1e-6, gap  # its table of sines is float32
    print(f"transformers {transformers.__version__} is off by {gap:.1e}")


def check_steps(steps):
    """One step is clipped and one is not; float32 comes within 1e-6 of the same steps (AdamW's first is lr times a
    sign: a gradient that rounding could turn round would be off by 2e-3)."""
    norms = [float(step[2]) for step in steps]
    assert norms[0] > CLIP > norms[1], norms
    single = {name: w.detach().float().requires_grad_() for name, w in make_weights().items()}
    gap = max((u - updates[name]).abs().max() for step, (_, _, _, updates) in zip(train(single), steps)
              for name, u in step[3].items())
    print(f"gradient norms {norms[0]:.3f} and {norms[1]:.3f}; steps in float32 are off by {gap:.1e}")
    assert gap < 1e-6, gap


def step_tensors(batch, step):
    loss, _, size, updates = step
    inputs = dict(zip(("input_ids", "attention_mask", "labels"), tensors_of(batch)))
    changes = {f"update/{name}": u.float() for name, u in updates.items()}
    return inputs | {"loss": loss, "gradient_norm": size.detach()} | changes


def save(stem, tensors):
    path = os.path.join(HERE, f"{stem}.safetensors")
    save_file(tensors, path, metadata={"made_by": "make_training_step.py", "torch": torch.__version__})
    os.chmod(path, 0o644)
    print(f"{stem}: {os.path.getsize(path)} bytes, {len(tensors)} tensors")


def main():
    weights = make_weights()
    start = {name: w.detach().float() for name, w in weights.items()}
    ids, mask, labels = tensors_of(BATCHES[0])
    with torch.no_grad():
        hidden = Model(weights).hidden(ids, mask)
        logits = Model(weights).logits(hidden, mask)
        check_half(weights, hidden, ids, mask)
        check_transformers(weights, hidden, ids, mask)
    steps = list(train(weights))
    check_steps(steps)

    first = {f"weight/{name}": w for name, w in start.items()}
    first |= {f"gradient/{name}": g.float() for name, g in steps[0][1].items()}
    first |= {"hidden_last": hidden, "logits": logits}
    save("training_step", first | step_tensors(BATCHES[0], steps[0]))
    save("second_step", step_tensors(BATCHES[1], steps[1]))


if __name__ == "__main__":
    main()
