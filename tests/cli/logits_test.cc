// `rotary logits`: padding that does not count, and inputs that cannot be run.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "cli/classifier.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

using Shape = std::vector<std::int64_t>;

class Logits : public Classifier {
 protected:
  void SetUp() override {
    Classifier::SetUp();
    train("--epochs 1");
  }

  template <class T>
  static StoredTensor stored(const std::string& name, StoredDType dtype, Shape shape, const std::vector<T>& values) {
    return {name, dtype, std::move(shape), std::as_bytes(std::span(values))};
  }
  Finished run(const std::vector<StoredTensor>& tensors, const std::string& options = "") const {
    write_safetensors(file("in.safetensors"), tensors);
    return rotary("logits " + file("model") + " --input " + file("in.safetensors") + " --output " +
                  file("out.safetensors") + " " + options);
  }
  std::vector<float> output(const std::string& name) const {
    return SafetensorsFile(file("out.safetensors")).read_float(name);
  }
};

TEST_F(Logits, PaddingUnderTheMaskChangesNothing) {
  const std::vector<std::int64_t> alone = {5, 6, 7}, padded = {5, 6, 7, 0, 0, 8, 9, 10, 11, 12};
  const std::vector<std::int64_t> mask = {1, 1, 1, 0, 0, 1, 1, 1, 1, 1};
  ASSERT_EQ(run({stored("input_ids", StoredDType::kInt64, {1, 3}, alone)}).status, 0);
  const std::vector<float> expected = output("logits"), hidden = output("hidden_last");
  ASSERT_EQ(expected.size(), 3u);
  EXPECT_EQ(hidden.size(), 3u * 16);
  ASSERT_EQ(run({stored("input_ids", StoredDType::kInt64, {2, 5}, padded),
                 stored("attention_mask", StoredDType::kInt64, {2, 5}, mask)})
                .status,
            0);
  // Sums of a few dozen products of about 1, rounded in another order.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(output("logits")[i], expected[i], 1e-5);
  for (std::size_t i = 0; i < hidden.size(); ++i) EXPECT_NEAR(output("hidden_last")[i], hidden[i], 1e-5);
}

TEST_F(Logits, TakesSmallerIntegers) {
  const std::vector<std::int64_t> wide = {5, 6, 7};
  const std::vector<std::int32_t> narrow = {5, 6, 7};
  ASSERT_EQ(run({stored("input_ids", StoredDType::kInt64, {1, 3}, wide)}).status, 0);
  const std::vector<float> expected = output("logits");
  ASSERT_EQ(run({stored("input_ids", StoredDType::kInt32, {1, 3}, narrow)}).status, 0);
  EXPECT_EQ(output("logits"), expected);
}

TEST_F(Logits, SaysWhatIsWrongWithTheInput) {
  const std::vector<std::int64_t> ids = {5, 6, 7}, low = {5, -1, 7}, high = {5, 1000000, 7}, none, two = {1, 1};
  const std::vector<float> real = {5, 6, 7};
  const auto whole = StoredDType::kInt64;
  const StoredTensor good = stored("input_ids", whole, {1, 3}, ids);
  expect_failure(run({stored("input_ids", whole, {1, 3}, low)}), 1, "tensor input_ids must be 0 .. ");
  expect_failure(run({stored("input_ids", whole, {1, 3}, high)}), 1, "got 5 .. 1000000");
  expect_failure(run({stored("input_ids", StoredDType::kFloat32, {1, 3}, real)}), 1,
                 "in.safetensors: tensor \"input_ids\"");
  expect_failure(run({stored("input_ids", whole, {3}, ids)}), 1, "input_ids must be [batch, seq]");
  expect_failure(run({stored("input_ids", whole, {0, 3}, none)}), 1, "input_ids must not be empty");
  expect_failure(run({stored("ids", whole, {1, 3}, ids)}), 1, "input_ids");
  expect_failure(run({good, stored("attention_mask", whole, {1, 2}, two)}), 1, "must have the shape of input_ids");
  expect_failure(run({good, stored("attention_mask", StoredDType::kFloat32, {1, 3}, real)}), 1, "attention_mask");
  expect_failure(run({good}, "--prefill 1"), 1, "need a causal model");
  expect_failure(run({good}, "--generate 1"), 1, "need a causal model");
  expect_failure(run({good}, "--prefill 0"), 2, "--prefill");
  EXPECT_FALSE(std::filesystem::exists(file("out.safetensors")));
}

TEST_F(Logits, SaysWhatIsWrongWithTheFiles) {
  const std::string in = file("in.safetensors"), verb = "logits " + file("model") + " --input " + in + " --output ";
  expect_failure(rotary(verb + file("out")), 1, "in.safetensors: must be a readable file");
  write("nothing of the kind", "in.safetensors");
  expect_failure(rotary(verb + file("out")), 1, "in.safetensors: ");
  const std::vector<std::int64_t> ids = {5, 6, 7};
  write_safetensors(in, std::vector{stored("input_ids", StoredDType::kInt64, {1, 3}, ids)});
  expect_failure(rotary(verb + file("none/out")), 1, "none/out: must be writable");
  expect_failure(rotary(verb + file("model")), 1, "model: must be a regular file");
  expect_failure(rotary("logits " + file("none") + " --input " + in + " --output " + file("out")), 1,
                 "none/config.json");
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
