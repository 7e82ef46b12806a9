#include "nn/roformer_config.h"

#include <initializer_list>
#include <utility>

#include "core/require.h"

namespace rotary::nn {
namespace {

using detail::require;

template <class E>
struct Named {
  E value;
  std::string_view name;
};

constexpr Named<Encoding> kEncodings[] = {{Encoding::kRope, "rope"},
                                          {Encoding::kSinusoidal, "sinusoidal"},
                                          {Encoding::kLearned, "learned"},
                                          {Encoding::kNone, "none"}};
constexpr Named<Pooling> kPoolings[] = {{Pooling::kMean, "mean"}, {Pooling::kFirst, "cls"}, {Pooling::kMax, "max"}};
constexpr Named<NormPlacement> kNormPlacements[] = {{NormPlacement::kPost, "post"}, {NormPlacement::kPre, "pre"}};

template <class E, std::size_t n>
std::string_view name_of(const Named<E> (&names)[n], E value) {
  for (const auto& named : names)
    if (named.value == value) return named.name;
  return "unknown";
}

template <class E, std::size_t n>
E value_of(const Named<E> (&names)[n], std::string_view name, const char* function, const std::string& what) {
  std::string list;
  for (const auto& named : names) {
    if (named.name == name) return named.value;
    list += (list.empty() ? "" : ", ") + std::string(named.name);
  }
  require(false, function, what + " must be one of " + list, name);
  return {};
}

}  // namespace

std::string_view to_string(Encoding encoding) { return name_of(kEncodings, encoding); }
std::string_view to_string(Pooling pooling) { return name_of(kPoolings, pooling); }
std::string_view to_string(NormPlacement placement) { return name_of(kNormPlacements, placement); }
Encoding parse_encoding(std::string_view name) { return value_of(kEncodings, name, "parse_encoding", "encoding"); }
Pooling parse_pooling(std::string_view name) { return value_of(kPoolings, name, "parse_pooling", "pooling"); }
NormPlacement parse_norm_placement(std::string_view name) {
  return value_of(kNormPlacements, name, "parse_norm_placement", "norm");
}

RopeSpec rope_spec(const RoformerConfig& config) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = static_cast<int>(config.head_dim());
  spec.pairing = spec.output_pairing = config.pairing;
  spec.base = config.base;
  spec.scaling = make_scaling(config.scaling);
  spec.max_position = static_cast<double>(config.max_position);
  return spec;
}

RoformerConfig completed(RoformerConfig config) {
  if (config.embedding_size == 0) config.embedding_size = config.d_model;
  if (config.d_feed_forward == 0) config.d_feed_forward = 4 * config.d_model;
  return config;
}

void validate_config(const RoformerConfig& config) {
  const auto positive = [](const char* name, std::int64_t value) {
    require(value > 0 && value <= std::int64_t{1} << 24, "validate_config", std::string(name) + " must be 1 .. 2^24",
            value);
  };
  positive("vocab_size", config.vocab_size);
  positive("d_model", config.d_model);
  positive("embedding_size", config.embedding_size);
  positive("num_layers", config.num_layers);
  positive("num_heads", config.num_heads);
  positive("d_feed_forward", config.d_feed_forward);
  positive("type_vocab_size", config.type_vocab_size);
  positive("max_position", config.max_position);
  require(config.d_model % config.num_heads == 0, "validate_config", "d_model must be a multiple of num_heads",
          config.d_model);
  require(config.norm_epsilon >= 0 && config.norm_epsilon < 1, "validate_config", "norm_epsilon must be 0 .. 1",
          config.norm_epsilon);
  require(config.dropout >= 0 && config.dropout < 1, "validate_config", "dropout must be 0 or more and below 1",
          config.dropout);
  const bool classifies = config.head == Head::kFirstTokenClassifier || config.head == Head::kPooledClassifier;
  require(!classifies || config.labels.size() >= 2, "validate_config", "a classifier must have 2 labels or more",
          config.labels.size());
  if (config.encoding == Encoding::kRope) validate_spec(rope_spec(config));
}

}  // namespace rotary::nn
