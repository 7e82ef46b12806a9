#include "cli/nn_options.h"

#include <algorithm>

#include "cli/option_checks.h"
#include "nn/workers.h"

namespace rotary::cli {
namespace {

constexpr std::int64_t kMaxLength = std::int64_t{1} << 24, kMaxSteps = std::int64_t{1} << 30;

// The options of a scaling, where another one makes no sense without.
void add_scaling(CLI::App& app, nn::ScalingChoice& choice, const std::string& purpose,
                 const std::string& default_length) {
  CLI::Option* method =
      app.add_option("--scaling", choice.method, purpose + "linear, ntk, dynamic, ntk_by_parts or yarn")
          ->check(one_of({"default", "linear", "ntk", "dynamic", "ntk_by_parts", "yarn"}));
  app.add_option("--factor", choice.factor, "of the scaling")->check(number_from_one_on())->needs(method);
  app.add_option("--original-max-position", choice.original_max_position,
                 "the length before the scaling; default: " + default_length)
      ->check(positive_number())
      ->needs(method);
}

void validate_scaling(const nn::ScalingChoice& choice) {
  if (choice.method != "default" && choice.factor == 1)
    refuse("--scaling", "must be given with a --factor above 1", "'" + choice.method + "' alone");
}

}  // namespace

void ComputeOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Speed");
  app.add_option("--threads", threads, "default: one for each core")->check(whole_number(1, 1024));
  app.add_option(
         "--dtype", dtype,
         "of matrix products: float32, bfloat16 (sums and weights stay float32), or auto: bfloat16 where the CPU "
         "multiplies it")
      ->check(one_of({"auto", "float32", "bfloat16"}))
      ->capture_default_str();
}

int ComputeOptions::num_threads() const { return threads > 0 ? threads : nn::default_threads(); }

MatmulPrecision ComputeOptions::precision() const {
  const bool rounds = dtype == "bfloat16" || (dtype == "auto" && has_bfloat16_hardware());
  return rounds ? MatmulPrecision::kBfloat16 : MatmulPrecision::kFloat32;
}

void DataOptions::add_to(CLI::App& app, bool labelled) {
  app.option_defaults()->group("Data");
  app.add_option(
         "--data", path,
         labelled ? "folder with a folder of text files for each label, folder of train/valid/test files, CSV, TSV or "
                    "JSONL; .gz too"
                  : "any text: a file, a folder, or what train takes")
      ->check(not_empty())
      ->required();
  app.add_option("--text-field", corpus.text_field, "column or key of the text")->capture_default_str();
  if (labelled)
    app.add_option("--label-field", corpus.label_field, "column or key of the label")->capture_default_str();
  app.add_option("--valid-fraction", corpus.valid_fraction, "share split off for validation, where the data has none")
      ->check(share_below_one())
      ->capture_default_str();
  if (labelled)
    app.add_option("--test-fraction", corpus.test_fraction, "share split off for the test, where the data has none")
        ->check(share_below_one())
        ->capture_default_str();
  app.add_option("--split-seed", corpus.seed, "of what is split off")->check(seed_number())->capture_default_str();
}

void ModelOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Model");
  app.add_option("--layers", config.num_layers, "encoder layers")->check(whole_number(1, 1024))->capture_default_str();
  app.add_option("--heads", config.num_heads, "attention heads")->check(whole_number(1, 1024))->capture_default_str();
  app.add_option("--d-model", config.d_model, "channels, a multiple of the heads")
      ->check(whole_number(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--feed-forward", config.d_feed_forward, "channels inside the feed-forward; default: 4 times d-model")
      ->check(whole_number(1, 1 << 20));
  app.add_option("--dropout", config.dropout, "of embeddings, residual branches and the pooled vector")
      ->check(share_below_one())
      ->capture_default_str();
  app.add_option("--encoding", encoding, "of positions: rope, sinusoidal, learned or none")
      ->check(one_of({"rope", "sinusoidal", "learned", "none"}))
      ->capture_default_str();
  app.add_option("--pairing", pairing, "channels that rotate together: interleaved (the RoFormer paper) or half")
      ->check(one_of({"interleaved", "half"}))
      ->capture_default_str();
  app.add_option("--base", config.base, "of the rotation's frequencies")
      ->check(number_above_one())
      ->capture_default_str();
  add_scaling(app, config.scaling, "of the rotation, from the beginning: ", "max-position");
  app.add_option("--pooling", pooling, "over tokens: mean, cls (the first token) or max")
      ->check(one_of({"mean", "cls", "max"}))
      ->capture_default_str();
  app.add_option("--norm", norm, "LayerNorm after the residual (post, the paper) or before each block (pre)")
      ->check(one_of({"post", "pre"}))
      ->capture_default_str();
  app.add_option("--max-position", config.max_position, "rows of a learned encoding; of the table that is saved")
      ->check(whole_number(1, kMaxLength))
      ->capture_default_str();
}

nn::RoformerConfig ModelOptions::make(std::int64_t max_length) const {
  nn::RoformerConfig made = config;
  made.encoding = nn::parse_encoding(encoding);
  made.pairing = pairing == "half" ? Pairing::kHalf : Pairing::kInterleaved;
  made.pooling = nn::parse_pooling(pooling);
  made.norm = nn::parse_norm_placement(norm);
  if (made.d_model % made.num_heads != 0)
    refuse("--d-model", "must be a multiple of --heads " + std::to_string(made.num_heads),
           std::to_string(made.d_model));
  if (made.encoding == nn::Encoding::kRope && made.head_dim() % 2 != 0)
    refuse("--d-model", "must give each of the heads an even number of channels to rotate",
           std::to_string(made.d_model) + " for --heads " + std::to_string(made.num_heads));
  if (made.encoding == nn::Encoding::kLearned && max_length > made.max_position)
    refuse("--max-position", "must be at least the " + std::to_string(max_length) + " tokens that are read",
           std::to_string(made.max_position));
  validate_scaling(made.scaling);
  if (made.scaling.method != "default" && made.scaling.original_max_position == 0)
    made.scaling.original_max_position = static_cast<double>(made.max_position);
  return made;
}

void ScheduleOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Training");
  app.add_option("--epochs", train.epochs, "times that every document is read")
      ->check(whole_number(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--steps", train.max_steps, "ends earlier; 0: the epochs decide")
      ->check(whole_number(0, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--max-length", train.max_length, "tokens that are read of a document in training")
      ->check(whole_number(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--batch-size", train.batch_size, "documents of a step")
      ->check(whole_number(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--crop", train.crop_probability, "share of longer documents that are read from a random token on")
      ->check(share())
      ->capture_default_str();
  app.add_option("--learning-rate", train.learning_rate, "highest; after warm-up it falls to zero")
      ->check(positive_number())
      ->capture_default_str();
  app.add_option("--embedding-rate", train.optimizer.embedding_rate, "the embeddings', as a multiple of it")
      ->check(not_negative())
      ->capture_default_str();
  app.add_option("--weight-decay", train.optimizer.weight_decay, "of matrices")
      ->check(not_negative())
      ->capture_default_str();
  app.add_option("--warm-up", train.warm_up, "share of the steps")->check(share_below_one())->capture_default_str();
  app.add_option("--label-smoothing", train.label_smoothing, "share of the target that goes to all classes alike")
      ->check(share_below_one())
      ->capture_default_str();
  app.add_option("--patience", train.patience, "epochs without a better validation before it ends; 0: never")
      ->check(whole_number(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--seed", train.seed, "of weights, order, crops and dropout")
      ->check(seed_number())
      ->capture_default_str();
}

void TokenizerChoice::add_to(CLI::App& app) {
  app.option_defaults()->group("Words");
  app.add_option("--tokenizer", kind, "learned from the training documents: words, unigram or bpe (SentencePiece)")
      ->check(one_of({"words", "unigram", "bpe"}))
      ->capture_default_str();
  app.add_option("--vocab-size", options.vocab_size, "pieces, at most")
      ->check(whole_number(6, 1 << 24))
      ->capture_default_str();
}

std::unique_ptr<text::Tokenizer> TokenizerChoice::train(std::span<const std::string> texts) const {
  text::TokenizerOptions chosen = options;
  chosen.kind = kind == "unigram" ? text::TokenizerKind::kUnigram
                : kind == "bpe"   ? text::TokenizerKind::kBpe
                                  : text::TokenizerKind::kWords;
  return text::train_tokenizer(texts, chosen);
}

void ExcerptChoice::add_to(CLI::App& app) {
  app.option_defaults()->group("Reading");
  app.add_option("--max-length", max_length, "tokens read at a time; default: what training read")
      ->check(whole_number(1, kMaxLength));
  app.add_option("--truncation", truncation,
                 "of longer documents: head, tail, head-tail, or windows (all of it, logits averaged)")
      ->check(one_of({"head", "tail", "head-tail", "windows"}))
      ->capture_default_str();
  app.add_option("--stride", stride, "from window to window; default: half of max-length")
      ->check(whole_number(1, kMaxLength));
}

void require_readable(const std::string& option, std::int64_t length, const nn::Roformer& model) {
  const std::int64_t most = model.encoding().max_tokens();
  if (length > most)
    refuse(option, "must be at most the " + std::to_string(most) + " positions of the model", std::to_string(length));
}

text::ExcerptOptions ExcerptChoice::make(const nn::Roformer& model, std::int64_t trained_length) const {
  text::ExcerptOptions made;
  made.truncation = truncation == "tail"        ? text::Truncation::kTail
                    : truncation == "head-tail" ? text::Truncation::kHeadTail
                    : truncation == "windows"   ? text::Truncation::kWindows
                                                : text::Truncation::kHead;
  made.max_length = max_length > 0 ? max_length : trained_length;
  made.stride = stride > 0 ? stride : std::max<std::int64_t>(1, made.max_length / 2);
  require_readable("--max-length", made.max_length, model);
  if (stride > 0 && truncation != "windows")
    refuse("--stride", "must be given with --truncation windows", "--truncation " + truncation);
  if (made.stride > made.max_length)
    refuse("--stride", "must be at most the " + std::to_string(made.max_length) + " tokens of a window",
           std::to_string(stride));
  return made;
}

void RescaleChoice::add_to(CLI::App& app) {
  add_scaling(app, choice, "read with another scaling of the rotation: ", "what training read");
}

void RescaleChoice::apply(nn::Roformer& model, std::int64_t trained_length) const {
  validate_scaling(choice);
  if (choice.method == "default") return;
  auto* rope = dynamic_cast<nn::RopeEncoding*>(&model.encoding());
  if (!rope) refuse("--scaling", "must be given for a model that rotates", "another position encoding");
  nn::ScalingChoice chosen = choice;
  if (chosen.original_max_position == 0) chosen.original_max_position = static_cast<double>(trained_length);
  rope->rescale(chosen);
}

}  // namespace rotary::cli
