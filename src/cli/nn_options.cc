#include "cli/nn_options.h"

#include <algorithm>
#include <stdexcept>

#include "nn/workers.h"

namespace rotary::cli {

void ComputeOptions::add_to(CLI::App& app) {
  app.add_option("--threads", threads, "default: one for each core")->check(CLI::Range(1, 1024));
  app.add_option(
         "--dtype", dtype,
         "of matrix products: float32, bfloat16 (sums and weights stay float32), or auto: bfloat16 where the CPU "
         "multiplies it")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16"}))
      ->capture_default_str();
}

int ComputeOptions::num_threads() const { return threads > 0 ? threads : nn::default_threads(); }

MatmulPrecision ComputeOptions::precision() const {
  const bool rounds = dtype == "bfloat16" || (dtype == "auto" && has_bfloat16_hardware());
  return rounds ? MatmulPrecision::kBfloat16 : MatmulPrecision::kFloat32;
}

void DataOptions::add_to(CLI::App& app, bool labelled) {
  app.add_option("--data", path,
                 labelled ? "folder of class folders, folder of train/valid/test files, CSV, TSV or JSONL; .gz too"
                          : "any text: a file, a folder, or what train takes")
      ->required();
  app.add_option("--text-field", corpus.text_field, "column or key of the text")->capture_default_str();
  if (labelled)
    app.add_option("--label-field", corpus.label_field, "column or key of the label")->capture_default_str();
  app.add_option("--valid-fraction", corpus.valid_fraction, "split off for validation, where the data has none")
      ->capture_default_str();
  if (labelled)
    app.add_option("--test-fraction", corpus.test_fraction, "split off for the test, where the data has none")
        ->capture_default_str();
  app.add_option("--split-seed", corpus.seed, "of what is split off")->capture_default_str();
}

void ModelOptions::add_to(CLI::App& app) {
  app.add_option("--layers", config.num_layers, "encoder layers")->capture_default_str();
  app.add_option("--heads", config.num_heads, "attention heads")->capture_default_str();
  app.add_option("--d-model", config.d_model, "channels, a multiple of the heads")->capture_default_str();
  app.add_option("--feed-forward", config.d_feed_forward, "channels inside the feed-forward; default 4 d-model");
  app.add_option("--dropout", config.dropout, "of embeddings, residual branches and the pooled vector")
      ->capture_default_str();
  app.add_option("--encoding", encoding, "rope, sinusoidal, learned or none")->capture_default_str();
  app.add_option("--pairing", pairing, "channels that rotate together: interleaved (the RoFormer paper) or half")
      ->check(CLI::IsMember({"interleaved", "half"}))
      ->capture_default_str();
  app.add_option("--base", config.base, "of the rotation's frequencies")->capture_default_str();
  app.add_option("--scaling", config.scaling.method, "default, linear, ntk, dynamic, ntk_by_parts or yarn")
      ->capture_default_str();
  app.add_option("--factor", config.scaling.factor, "of the scaling")->capture_default_str();
  app.add_option("--original-max-position", config.scaling.original_max_position, "the length before scaling");
  app.add_option("--pooling", pooling, "over tokens: mean, cls (the first token) or max")->capture_default_str();
  app.add_option("--norm", norm, "LayerNorm after the residual (post, the paper) or before each block (pre)")
      ->capture_default_str();
  app.add_option("--max-position", config.max_position, "rows of a learned encoding; of the table that is saved")
      ->capture_default_str();
}

nn::RoformerConfig ModelOptions::make() const {
  nn::RoformerConfig made = config;
  made.encoding = nn::parse_encoding(encoding);
  made.pairing = pairing == "half" ? Pairing::kHalf : Pairing::kInterleaved;
  made.pooling = nn::parse_pooling(pooling);
  made.norm = nn::parse_norm_placement(norm);
  return made;
}

void ScheduleOptions::add_to(CLI::App& app) {
  app.add_option("--epochs", train.epochs, "times that every document is read")->capture_default_str();
  app.add_option("--steps", train.max_steps, "ends earlier; 0: the epochs decide")->capture_default_str();
  app.add_option("--max-length", train.max_length, "tokens that are read of a document in training")
      ->capture_default_str();
  app.add_option("--batch-size", train.batch_size, "documents of a step")->capture_default_str();
  app.add_option("--crop", train.crop_probability, "share of longer documents that are read from a random token on")
      ->capture_default_str();
  app.add_option("--learning-rate", train.learning_rate, "highest; after warm-up it falls to zero")
      ->capture_default_str();
  app.add_option("--embedding-rate", train.optimizer.embedding_rate, "the embeddings', as a multiple of it")
      ->capture_default_str();
  app.add_option("--weight-decay", train.optimizer.weight_decay, "of matrices")->capture_default_str();
  app.add_option("--warm-up", train.warm_up, "share of the steps")->capture_default_str();
  app.add_option("--label-smoothing", train.label_smoothing, "share of the target that goes to all classes alike")
      ->capture_default_str();
  app.add_option("--patience", train.patience, "epochs without a better validation before it ends; 0: never")
      ->capture_default_str();
  app.add_option("--seed", train.seed, "of weights, order, crops and dropout")->capture_default_str();
}

void TokenizerChoice::add_to(CLI::App& app) {
  app.add_option("--tokenizer", kind, "learned from the training documents: words, unigram or bpe (SentencePiece)")
      ->check(CLI::IsMember({"words", "unigram", "bpe"}))
      ->capture_default_str();
  app.add_option("--vocab-size", options.vocab_size, "pieces, at most")->capture_default_str();
}

std::unique_ptr<text::Tokenizer> TokenizerChoice::train(std::span<const std::string> texts) const {
  text::TokenizerOptions chosen = options;
  chosen.kind = kind == "unigram" ? text::TokenizerKind::kUnigram
                : kind == "bpe"   ? text::TokenizerKind::kBpe
                                  : text::TokenizerKind::kWords;
  return text::train_tokenizer(texts, chosen);
}

void ExcerptChoice::add_to(CLI::App& app) {
  app.add_option("--max-length", max_length, "tokens read at a time; default: what training read")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
  app.add_option("--truncation", truncation,
                 "of longer documents: head, tail, head-tail, or windows (all of it, logits averaged)")
      ->check(CLI::IsMember({"head", "tail", "head-tail", "windows"}))
      ->capture_default_str();
  app.add_option("--stride", stride, "from window to window; default: half of max-length")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
}

text::ExcerptOptions ExcerptChoice::make(std::int64_t trained_length) const {
  text::ExcerptOptions made;
  made.truncation = truncation == "tail"        ? text::Truncation::kTail
                    : truncation == "head-tail" ? text::Truncation::kHeadTail
                    : truncation == "windows"   ? text::Truncation::kWindows
                                                : text::Truncation::kHead;
  made.max_length = max_length > 0 ? max_length : trained_length;
  made.stride = stride > 0 ? stride : std::max<std::int64_t>(1, made.max_length / 2);
  return made;
}

void RescaleChoice::add_to(CLI::App& app) {
  app.add_option("--scaling", choice.method,
                 "read with another scaling of the rotation: linear, ntk, dynamic, "
                 "ntk_by_parts or yarn");
  app.add_option("--factor", choice.factor, "of the scaling");
  app.add_option("--original-max-position", choice.original_max_position, "default: what training read");
}

void RescaleChoice::apply(nn::Roformer& model, std::int64_t trained_length) const {
  if (choice.method == "default") return;
  auto* rope = dynamic_cast<nn::RopeEncoding*>(&model.encoding());
  if (!rope) throw std::invalid_argument("--scaling: the model must rotate, got another encoding");
  nn::ScalingChoice chosen = choice;
  if (chosen.original_max_position == 0) chosen.original_max_position = static_cast<double>(trained_length);
  rope->rescale(chosen);
}

}  // namespace rotary::cli
