#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rotary::nn {

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8;
  double weight_decay = 0.01;  ///< of matrices; vectors (biases, norms) keep theirs
  double clip_norm = 1;        ///< of all gradients together; 0: none
  double embedding_rate = 1;   ///< the embeddings' learning rate as a multiple of the others'
  /// The same of the token types. One type's row is added to every token, which the words can do themselves, and steps
  /// of Adam's size drown fresh words in it (State of the Union passages at 1,024 words: .748 instead of .808).
  double token_type_rate = 0;
};

/// AdamW (arXiv 1711.05101) over gradients that come in parts: those of the micro-batches, added up in their order, so
/// that the result does not depend on who computed which.
class AdamW {
 public:
  using Named = std::pair<std::string, torch::Tensor>;

  AdamW(std::vector<Named> parameters, const AdamWOptions& options);

  /// One step. parts [micro-batch][parameter]: dense, sparse or undefined (zero). Returns the norm of the gradient
  /// before clipping. Throws std::runtime_error if it is not finite, before anything changed.
  double step(const std::vector<std::vector<torch::Tensor>>& parts, double learning_rate, int num_threads);

  const std::vector<Named>& parameters() const { return parameters_; }
  std::int64_t num_steps() const { return num_steps_; }

  /// What a checkpoint has to hold beside the parameters: "first.NAME", "second.NAME".
  std::vector<Named> state() const;
  void set_num_steps(std::int64_t steps) { num_steps_ = steps; }

 private:
  void update(std::size_t i, double learning_rate, double factor);

  std::vector<Named> parameters_;
  std::vector<torch::Tensor> gradients_, first_, second_;
  AdamWOptions options_;
  std::int64_t num_steps_ = 0;
};

/// Linear warm-up over the first `warm_up` of the way, then linear to zero. progress in [0, 1].
double scheduled_rate(double learning_rate, double progress, double warm_up);

}  // namespace rotary::nn
