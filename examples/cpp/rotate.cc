// Queries and keys of a prompt, rotated as a model does, and its keys moved when tokens before them are dropped.
// usage: rotate CONFIG.JSON
#include <exception>
#include <iostream>
#include <vector>

#include "rotary/apply.h"
#include "rotary/formats/model_config.h"

namespace {

void rotate(const char* config) {
  constexpr std::int64_t tokens = 16, heads = 4, key_heads = 2;
  const rotary::LayerRotation layer = rotary::read_model_config(config).rotations.at(0).rotation;
  const rotary::Rotary rotary(layer.query, 8192);  // positions below 8192 from a table, others computed
  const std::int64_t channels = layer.query.channels;
  std::vector<float> q(static_cast<std::size_t>(tokens * heads * channels), 1);
  std::vector<float> k(static_cast<std::size_t>(tokens * key_heads * channels), 1);

  const auto queries = rotary::thd<void>(q.data(), rotary::DType::kFloat32, tokens, heads, channels);
  const auto keys = rotary::thd<void>(k.data(), rotary::DType::kFloat32, tokens, key_heads, channels);
  const std::vector<rotary::TensorView> both{queries, keys};
  rotary::apply_rotary_inplace(rotary, both, rotary::PositionRange{2049});  // 2049, 2050 ...

  rotary::shift_keys_inplace(rotary, keys, -1000);  // as if they had been rotated at 1049, 1050 ...
  std::cout << channels << " channels; channel 0 of the first query at 2049: " << q[0]
            << ", of its key at 1049: " << k[0] << "\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  rotate(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
