// From a model's files to the rotation of every component and layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/layer_rotation.h"
#include "rotary/rotation_map.h"
#include "rotary/version.h"

namespace rotary {

/// Whose reading of a model is meant. Each is pinned to a release, see release_of().
enum class Reference {
  kTransformers,      ///< what transformers really does, oddities included; each loss is a warning
  kOriginal,          ///< what the file says; contradictions within it are errors
  kTransformers4,     ///< the last transformers with the 4.x configuration classes
  kLlamaCpp,          ///< llama.cpp, on the GGUF file that its converter makes of the model
  kVllm,              ///< vLLM
  kSglang,            ///< SGLang
  kMlxLm,             ///< mlx-lm
  kOnnxruntimeGenai,  ///< the model builder of ONNX Runtime GenAI
};

ROTARY_API std::span<const Reference> all_references();
/// "transformers", "original", "transformers-4", "llama.cpp", "vllm", "sglang", "mlx-lm", "onnxruntime-genai".
ROTARY_API std::string_view to_string(Reference reference);
/// The inverse. Throws std::invalid_argument that lists the names.
ROTARY_API Reference parse_reference(std::string_view name);
/// The release that is meant: "5.24"; "" for `original`, which is the file itself.
ROTARY_API std::string_view release_of(Reference reference);

struct ReadOptions {
  /// None: the format's own; transformers for config.json, llama.cpp for GGUF, original for all else.
  std::optional<Reference> reference = std::nullopt;
  Arithmetic arithmetic = Arithmetic::kExact;
  std::int64_t seq_len = 0;  ///< for rotations that depend on the length; 0: short enough to stay unscaled
};

/// Where a value came from.
struct Source {
  std::string field;     ///< our name: "base", "head_dim", "rope_type", ...
  std::string key;       ///< dotted path in the file; of an assumed value: the key that is absent
  std::string value;     ///< as read
  bool assumed = false;  ///< the file has no such key: the family's default
};

/// Something lost, ignored or contradictory, by key.
struct ConfigWarning {
  std::string key;
  std::string message;
};

/// The rotation of one part of some layers of a component.
struct ModelRotation {
  std::string component;    ///< dotted path of the sub-configuration; "" for the file itself
  std::string model_type;   ///< of that component
  std::string part;         ///< which attention of the layer, where there are several: "indexer", ...
  std::vector<int> layers;  ///< empty with `all_layers`
  bool all_layers = false;
  std::string layer_type;        ///< "" if the configuration has none
  int head_dim = 0;              ///< channels of the query vector
  std::optional<RopeSpec> spec;  ///< none: no rotation, or not a rotation
  LayerRotation rotation;        ///< at the sequence length asked for
  std::string unknown;           ///< why it is not known what the reference does here; then there is no spec
  std::string fails;             ///< why the reference cannot run this model; then there is no spec
  std::string note;              ///< what a reader should know and no field says
  std::vector<Source> sources;
};

/// A file that says something about the rotation.
struct ModelFile {
  std::string path;
  std::string format;  ///< "config.json", "GGUF", "params.json of Meta", ...
  std::string role;    ///< "read", "compared", or why it was left aside
};

struct ModelConfig {
  std::string model_type;
  std::vector<ModelFile> files;  ///< in the order of authority; the first was read
  Reference reference = Reference::kTransformers;
  std::vector<ModelRotation> rotations;
  std::vector<ConfigWarning> warnings;
};

/// Reads a file that describes a model: a Hugging Face config.json, a params.json of Meta or Mistral, arguments of
/// Megatron-LM or GPT-NeoX (JSON or YAML), safetensors or their index; told apart by content (docs/formats.md). Of a
/// folder, the first of config.json, params.json, original/params.json, *.gguf and safetensors is read and the others
/// are compared with it, as is safetensors with a config.json beside it: differences are warnings.
/// Throws std::runtime_error naming file, key path, what must hold and what came; at most 64 MiB (YAML: 4 MiB) and 128
/// levels are read. Other references than the file's own exist for config.json only.
ROTARY_API ModelConfig read_model_config(const std::string& path, const ReadOptions& options = {});

/// The same from the text of one file; `name` stands for the file in messages, and ends in .yml or .yaml for YAML.
ROTARY_API ModelConfig parse_model_config(std::string_view text, const std::string& name,
                                          const ReadOptions& options = {});

}  // namespace rotary
