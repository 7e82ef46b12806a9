// Reads bytes as a configuration under both references, with and without a length: whatever they are, a reading or one
// of the two documented exceptions comes out.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "rotary/formats/model_config.h"

namespace {

void read(std::string_view text, const rotary::ReadOptions& options) {
  try {
    for (const rotary::ModelRotation& r : rotary::parse_model_config(text, "config.json", options).rotations)
      if (r.spec) rotary::validate_map(r.rotation.query);
  } catch (const std::invalid_argument&) {
    __builtin_trap();  // arguments of ours are fine: what is wrong is the file
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The file's own readings, and one engine's: all eight would take as many times as long.
  const auto all = rotary::all_references();
  for (rotary::Reference reference :
       {rotary::Reference::kTransformers, rotary::Reference::kOriginal, all[size % all.size()]})
    for (std::int64_t seq_len : {std::int64_t{0}, std::int64_t{1} << 20})
      read(text, {.reference = reference, .seq_len = seq_len});
  return 0;
}
