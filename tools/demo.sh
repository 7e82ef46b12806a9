#!/bin/sh
# What rotary says about the configurations of released models.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n\n=== %s\n' "$1"; }
run() {
  printf '\n$ %s\n' "$*"
  "$@" || true # diff says by its status that two rotations differ
}

say "A context extension: which pairs are kept, blended, divided"
run build/rotary inspect examples/configs/llama-3.1-8b.json
say "The factor that acts on the softmax, not on cos and sin; channels read adjacent and written in halves"
run build/rotary inspect examples/configs/kimi-k2-0905.json
say "Two bases in one model"
run build/rotary inspect examples/configs/gemma-3-4b-text.json
say "Three position axes, and a vision tower with two of its own"
run build/rotary inspect examples/configs/qwen2.5-vl-7b.json
say "Are two models rotated alike?"
run build/rotary diff examples/configs/llama-3.1-8b.json examples/configs/llama-3.1-8b-v5.json
run build/rotary diff examples/configs/llama-3-8b.json examples/configs/llama-3.1-8b.json
run build/rotary diff examples/configs/llama-2-7b.json examples/configs/llama-3-8b.json
run build/rotary diff examples/configs/roformer-base.json examples/configs/modernbert-base.json
