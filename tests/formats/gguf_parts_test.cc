// Models in several files, name-00001-of-00003.gguf: any of them opens all, or says what does not fit.
#include <gmock/gmock.h>

#include "formats/made_gguf.h"
#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string u16(std::uint16_t value) { return le(value); }

class GgufPartsTest : public ScratchFolder {
 protected:
  static std::string name(int number, int count = 3) {
    return "m-0000" + std::to_string(number + 1) + "-of-0000" + std::to_string(count) + ".gguf";
  }

  // A part with one tensor, "t<number>", of one byte.
  static MadeGguf part(int number, int count = 3) {
    MadeGguf out;
    if (number == 0) {
      out.keys.push_back(key("general.architecture", GgufType::kString, str("llama")));
      out.keys.push_back(key("split.tensors.count", GgufType::kInt32, le(3)));
    }
    out.keys.push_back(key("split.no", GgufType::kUint16, u16(static_cast<std::uint16_t>(number))));
    out.keys.push_back(key("split.count", GgufType::kUint16, u16(static_cast<std::uint16_t>(count))));
    out.tensors.push_back(tensor("t" + std::to_string(number), {1}, 24, 0));
    out.num_data = static_cast<std::size_t>(number) + 1;
    return out;
  }

  void SetUp() override {
    ScratchFolder::SetUp();
    for (int i = 0; i < 3; ++i) write(name(i), gguf(part(i)));
  }

  std::string error(int opened = 0) const {
    try {
      GgufFile(file(name(opened)));
      return "";
    } catch (const std::runtime_error& e) {
      return e.what();
    }
  }
};

TEST_F(GgufPartsTest, AnyOfThemOpensAll) {
  for (int opened = 0; opened < 3; ++opened) {
    const GgufFile model(file(name(opened)));
    EXPECT_EQ(model.path(), file(name(opened)));
    EXPECT_THAT(model.parts(), ElementsAre(file(name(0)), file(name(1)), file(name(2))));
    EXPECT_EQ(model.value("general.architecture")->text(), "llama");
    for (const char* tensor : {"t0", "t1", "t2"}) EXPECT_THAT(model.read_int64(tensor), ElementsAre(0));
  }
}

TEST_F(GgufPartsTest, AFileThatIsTheOnlyOneNeedsNoSuchName) {
  write("x.gguf", gguf(part(0, 1)));
  EXPECT_THAT(GgufFile(file("x.gguf")).parts(), ElementsAre(file("x.gguf")));
}

TEST_F(GgufPartsTest, OneIsMissing) {
  std::filesystem::remove(file(name(1)));
  EXPECT_THAT(error(2), StartsWith(file(name(1)) + ": must be a readable file, got an error: No such file"));
}

TEST_F(GgufPartsTest, OneIsThereTwice) {
  write(name(2), gguf(part(1)));
  EXPECT_EQ(error(), file(name(2)) + R"(: key "split.no" must be 2, by the file's name, got 1)");
}

TEST_F(GgufPartsTest, OneIsALinkToTheFirst) {
  std::filesystem::remove(file(name(1)));
  std::filesystem::create_symlink(file(name(0)), file(name(1)));
  EXPECT_EQ(error(), file(name(1)) + R"(: key "split.no" must be 1, by the file's name, got 0)");
}

TEST_F(GgufPartsTest, OneHasAnotherName) {
  write("other.gguf", gguf(part(1)));
  EXPECT_THROW(
      try { GgufFile(file("other.gguf")); } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("the name, by split.no and split.count within, must end with -00002-of-00003"));
        throw;
      },
      std::runtime_error);
}

TEST_F(GgufPartsTest, TheyCountDifferently) {
  write(name(1), gguf(part(1, 4)));
  EXPECT_THAT(error(), HasSubstr(R"(key "split.count" must be as in the part that was opened, 3, got 4)"));
}

TEST_F(GgufPartsTest, NumberIsBeyondTheCount) {
  write(name(0), gguf(part(3)));
  EXPECT_THAT(error(), HasSubstr(R"(key "split.no" must be a whole number up to 2, got 3)"));
}

TEST_F(GgufPartsTest, NumberIsMissing) {
  MadeGguf bad = part(1);
  bad.keys.erase(bad.keys.begin());
  write(name(1), gguf(bad));
  EXPECT_THAT(error(), HasSubstr(R"(key "split.no" must be a whole number up to 65535, got nothing)"));
  EXPECT_THAT(error(1), HasSubstr(R"(key "split.no" must be a whole number up to 2, got nothing)"));
}

TEST_F(GgufPartsTest, CountIsText) {
  MadeGguf bad = part(0);
  bad.keys.back() = key("split.count", GgufType::kString, str("three"));
  write(name(0), gguf(bad));
  EXPECT_THAT(error(), HasSubstr(R"(key "split.count" must be a whole number up to 65535, got "three")"));
}

TEST_F(GgufPartsTest, ATensorIsInTwo) {
  MadeGguf bad = part(2);
  bad.tensors = {tensor("t0", {1}, 24, 0)};
  write(name(2), gguf(bad));
  EXPECT_EQ(error(), file(name(2)) + R"(: tensor "t0" must be in one part only, got it in an earlier one too)");
}

TEST_F(GgufPartsTest, TensorsAreMissing) {
  MadeGguf bad = part(2);
  bad.tensors.clear();
  write(name(2), gguf(bad));
  EXPECT_THAT(error(), HasSubstr("must be the number of tensors in all parts, got 3 where there are 2"));
}

TEST_F(GgufPartsTest, TheyDisagree) {
  MadeGguf bad = part(1);
  bad.keys.push_back(key("general.architecture", GgufType::kString, str("qwen2")));
  write(name(1), gguf(bad));
  EXPECT_EQ(error(),
            file(name(1)) + R"(: key "general.architecture" must be as in the first part, "llama", got "qwen2")");
}

}  // namespace
}  // namespace rotary::testing
