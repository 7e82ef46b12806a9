#include <algorithm>
#include <array>

#include "core/require.h"
#include "formats/config_view.h"

namespace rotary {
namespace {

struct Entry {
  Reference reference;
  std::string_view name, release;
};

constexpr std::array kEntries{
    Entry{Reference::kTransformers, "transformers", "5.24"},
    Entry{Reference::kOriginal, "original", ""},
    Entry{Reference::kTransformers4, "transformers-4", "4.57"},
    Entry{Reference::kLlamaCpp, "llama.cpp", "2026-09-12"},
    Entry{Reference::kVllm, "vllm", "0.28.0"},
    Entry{Reference::kSglang, "sglang", "0.5.18"},
    Entry{Reference::kMlxLm, "mlx-lm", "0.31.3"},
    Entry{Reference::kOnnxruntimeGenai, "onnxruntime-genai", "0.15.2"},
};

const Entry& entry_of(Reference reference) {
  const auto* found =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.reference == reference; });
  detail::require(found != kEntries.end(), "Reference", "reference must be an enumerator", static_cast<int>(reference));
  return *found;
}

std::string names() {
  std::string out;
  for (const Entry& e : kEntries) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

}  // namespace

std::span<const Reference> all_references() {
  static constexpr auto kAll = [] {
    std::array<Reference, kEntries.size()> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = kEntries[i].reference;
    return out;
  }();
  return kAll;
}

std::string_view to_string(Reference reference) { return entry_of(reference).name; }
std::string_view release_of(Reference reference) { return entry_of(reference).release; }

Reference parse_reference(std::string_view name) {
  for (const Entry& e : kEntries)
    if (e.name == name) return e.reference;
  detail::require(false, "parse_reference", "reference must be one of " + names(), name);
  return {};
}

std::string detail::name_and_release(Reference reference) {
  return std::string(to_string(reference)) + " " + std::string(release_of(reference));
}

}  // namespace rotary
