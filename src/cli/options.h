// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

struct CommonOptions {
  std::string reference = "transformers";
  std::string arithmetic = "exact";
  std::int64_t seq_len = 0;

  void add_to(CLI::App& app) {
    app.add_option("--as", reference,
                   "whose reading: transformers (5.24, oddities included) or original (the file as written)")
        ->check(CLI::IsMember({"transformers", "original"}))
        ->capture_default_str();
    app.add_option("--arithmetic", arithmetic, "exact, or the roundings of an engine")
        ->check(CLI::IsMember({"exact", "transformers-float32", "transformers-bfloat16", "ggml"}))
        ->capture_default_str();
    app.add_option("--seq-len", seq_len, "positions in the sequence, for rotations that depend on the length")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  }

  ReadOptions to_read_options() const { return {parse_reference(reference), parse_arithmetic(arithmetic), seq_len}; }
};

}  // namespace rotary::cli
