// Which position axis turns a pair, in a GGUF model with sections.
#pragma once

#include "formats/gguf_keys.h"
#include "rotary/spec.h"

namespace rotary::detail {

/// ggml's rope types: "normal", "neox", "mrope" or "imrope", by the architecture and, for some, by whether the file has
/// sections.
struct GgufPairing {
  std::string rope;
  std::vector<std::int64_t> sections;  ///< four; empty without
};
GgufPairing read_gguf_pairing(GgufKeys& keys, const Json& row);

/// Axes for so many pairs: three, or four where a pair is turned by the fourth position id.
AxisLayout gguf_axes(GgufKeys& keys, const GgufPairing& pairing, int pairs);

}  // namespace rotary::detail
