// Reads bytes as a params.json and as a file of arguments in YAML: whatever they are, a reading or the one documented
// exception comes out.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "rotary/formats/model_config.h"

namespace {

void read(std::string_view text, const char* name) {
  try {
    for (const rotary::ModelRotation& r : rotary::parse_model_config(text, name).rotations)
      if (r.spec) rotary::validate_map(r.rotation.query);
  } catch (const std::invalid_argument&) {
    __builtin_trap();  // arguments of ours are fine: what is wrong is the file
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"params.json", "arguments.yml"}) read(text, name);
  return 0;
}
