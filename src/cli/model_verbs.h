// The verbs that need a model's layers, which live in a program of their own: loading libtorch takes longer than all
// that the other verbs do.
#pragma once

namespace rotary::cli {

struct ModelVerb {
  const char* name;
  const char* purpose;
};

constexpr ModelVerb kModelVerbs[] = {
    {"train", "Train a RoFormer classifier on your documents"},
    {"pretrain", "Train a RoFormer on text without labels: masked words, RoPE beside other encodings"},
    {"evaluate", "How good a classifier is: accuracy, confusions, by length; an HTML page"},
    {"classify", "Labels and probabilities of documents"},
    {"show-attention", "Draw what the heads of a layer look at"},
    {"logits", "Run a checkpoint on given tokens"},
    {"bench-model", "Tokens per second of training and reading"},
};

}  // namespace rotary::cli
