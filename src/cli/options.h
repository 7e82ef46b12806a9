// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary::cli {

struct CommonOptions {
  std::string arithmetic = "exact";
  std::int64_t seq_len = 0;
  std::vector<std::string> references;

  /// \param most  how often --as may be given
  void add_to(CLI::App& app, int most = 1) {
    app.add_option(
           "--as", references,
           "whose reading: an engine's, oddities included, or original (the file as written); by default what the "
           "file is made for: transformers for config.json, llama.cpp for GGUF, else original")
        ->check(CLI::IsMember(names()))
        ->expected(1, most)
        ->allow_extra_args(false);
    app.add_option("--arithmetic", arithmetic, "exact, or the roundings of an engine")
        ->check(CLI::IsMember({"exact", "transformers-float32", "transformers-bfloat16", "ggml"}))
        ->capture_default_str();
    app.add_option("--seq-len", seq_len, "positions in the sequence, for rotations that depend on the length")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  }

  /// With the reference given first, or the one of that index.
  ReadOptions to_read_options(std::size_t index = 0) const {
    ReadOptions out{{}, parse_arithmetic(arithmetic), seq_len};
    if (index < references.size()) out.reference = parse_reference(references[index]);
    return out;
  }

 private:
  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (Reference r : all_references()) out.emplace_back(to_string(r));
    return out;
  }
};

}  // namespace rotary::cli
