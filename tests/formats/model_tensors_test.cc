// A model's tensors over one file or several, and indices that do not fit their shards.
#include "rotary/formats/model_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/safetensors_bytes.h"
#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kIndex = "model.safetensors.index.json";

// A file of the named tensors, one byte each: 0, 1, 2 ...
std::string holding(const std::vector<std::string>& names) {
  std::string header;
  for (std::size_t i = 0; i < names.size(); ++i)
    header += (i == 0 ? "{\"" : ",\"") + names[i] + R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" +
              std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  return safetensors(header + "}", names.size());
}

class ModelFolder : public ScratchFolder {
 protected:
  std::string error_of(const std::string& path) const {
    try {
      const ModelTensors model(path);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  // Two shards, x with a and b, y with c, under the given index.
  std::string error_under(const std::string& index) const {
    write("x", holding({"a", "b"}));
    write("y", holding({"c"}));
    write(kIndex, index);
    return error_of(folder_.string());
  }
};

TEST_F(ModelFolder, IsOpenedByItsFileBeforeItsIndex) {
  write(kIndex, "{}");
  write("model.safetensors", holding({"a"}));
  for (const std::string& path : {folder_.string(), folder_.string() + "/", file("model.safetensors")})
    EXPECT_THAT(ModelTensors(path).names(), ElementsAre("a"));
  EXPECT_THAT(error_of(file(kIndex)), HasSubstr("must hold an object weight_map, got {}"));
}

TEST_F(ModelFolder, GivesTheTensorsOfAllShardsAlsoThoseTheIndexLeavesOut) {
  EXPECT_EQ(error_under(R"({"weight_map": {"a": "x", "c": "y"}})"), "");
  ModelTensors first(folder_.string());
  const StoredTensor* tensor = first.find("b");
  const ModelTensors model = std::move(first);
  EXPECT_EQ(model.find("b"), tensor);
  EXPECT_THAT(model.names(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(model.read_int64("b"), ElementsAre(1));
  EXPECT_EQ(model.find("d"), nullptr);
  EXPECT_THROW(model.read_float("c"), std::runtime_error);
}

TEST_F(ModelFolder, NamesTheTensorThatIsAskedForAndNotThere) {
  write("model.safetensors", holding({"a"}));
  const ModelTensors model(folder_.string());
  try {
    model.at("b");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), folder_.string() + R"(: tensor "b": must be in the model, got 1 tensors of other names)");
  }
}

struct BadIndex {
  const char* name;
  const char* text;
  const char* error;
};

void PrintTo(const BadIndex& bad, std::ostream* out) { *out << bad.name; }

class ModelFolderWithBadIndex : public ModelFolder, public ::testing::WithParamInterface<BadIndex> {};

TEST_P(ModelFolderWithBadIndex, IsRefusedWithFileAndKey) {
  const std::string error = error_under(GetParam().text);
  EXPECT_THAT(error, HasSubstr(GetParam().error));
  EXPECT_THAT(error, ::testing::StartsWith(folder_.string()));
}

INSTANTIATE_TEST_SUITE_P(
    , ModelFolderWithBadIndex,
    ::testing::Values(
        BadIndex{"NotJson", "{", "index.json: must be JSON"},
        BadIndex{"AList", "[]", "index.json: must hold an object weight_map, got []"},
        BadIndex{"WithoutMap", R"({"metadata": {}})", "index.json: must hold an object weight_map"},
        BadIndex{"MapIsAList", R"({"weight_map": ["x"]})", "index.json: must hold an object weight_map"},
        BadIndex{"EmptyMap", R"({"weight_map": {}})", "index.json: weight_map must name a tensor, got {}"},
        BadIndex{"ShardIsANumber", R"({"weight_map": {"a": 1}})", R"(weight_map: "a": must be the name of a file)"},
        BadIndex{"ShardIsEmpty", R"({"weight_map": {"a": ""}})",
                 "must be the name of a file beside the index, got \"\""},
        BadIndex{"ShardAbove", R"({"weight_map": {"a": "../x"}})", R"(beside the index, got "../x")"},
        BadIndex{"ShardIsTheFolderAbove", R"({"weight_map": {"a": ".."}})", R"(beside the index, got "..")"},
        BadIndex{"ShardIsAbsolute", R"({"weight_map": {"a": "/dev/zero"}})", R"(beside the index, got "/dev/zero")"},
        BadIndex{"ShardIsBelow", R"({"weight_map": {"a": "sub/x"}})", R"(beside the index, got "sub/x")"},
        BadIndex{"ShardWithNul", R"({"weight_map": {"a": "x\u0000"}})", "must be the name of a file beside the index"},
        BadIndex{"ShardMissing", R"({"weight_map": {"a": "z"}})", "/z: must be a readable file, got an error: No such"},
        BadIndex{"ShardIsNoSafetensorsFile", R"({"weight_map": {"a": "model.safetensors.index.json"}})",
                 "index.json: the header must"},
        BadIndex{"TensorMissing", R"({"weight_map": {"d": "x"}})",
                 R"(index.json: weight_map: "d": must be in x, got no such tensor)"},
        BadIndex{"TensorInTheOtherShard", R"({"weight_map": {"a": "x", "b": "y"}})",
                 R"(weight_map: "b": must be in y, got it in )"},
        BadIndex{"TensorTwiceInTheMap", R"({"weight_map": {"a": "x", "a": "y"}})",
                 "index.json: must not give a key twice, got weight_map.a"}),
    [](const auto& info) { return info.param.name; });

TEST_F(ModelFolder, IsRefusedWhenTwoShardsHoldTheSameTensor) {
  write("v", holding({"c"}));
  EXPECT_THAT(error_under(R"({"weight_map": {"a": "x", "c": "v", "d": "y"}})"),
              EndsWith(R"(y: tensor "c": must be in one shard, got it in )" + file("v")));
}

TEST_F(ModelFolder, IsRefusedWithoutAModelFile) {
  EXPECT_EQ(error_of(folder_.string()),
            folder_.string() + ": must hold model.safetensors or model.safetensors.index.json, got neither");
  EXPECT_THAT(error_of(file("none")), HasSubstr("none: must be a readable file"));
  EXPECT_THAT(error_of(file("none.index.json")), HasSubstr("none.index.json: must be a readable file"));
}

}  // namespace
}  // namespace rotary::testing
