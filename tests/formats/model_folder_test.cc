// What counts in a folder that holds several descriptions of a model, and what is told apart by content.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "formats/dialect_files.h"
#include "formats/model_source.h"
#include "formats/scratch_folder.h"
#include "rotary/formats/safetensors.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FolderOfAModel : public ScratchFolder {
 protected:
  ModelConfig read_it() const { return read_model_config(folder_.string()); }

  void add(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write(name, text);
  }
};

TEST_F(FolderOfAModel, WithTwoDescriptionsThatAgreeIsReadByTheFirst) {
  add("config.json", published("llama-3.1-8b").dump());
  add("original/params.json", golden_text("dialects/llama-3.1-8b.params.json"));
  const ModelConfig config = read_it();
  EXPECT_EQ(config.model_type, "llama");
  EXPECT_EQ(config.reference, kTransformers);
  EXPECT_EQ(config.rotations.at(0).spec->pairing, Pairing::kHalf);
  EXPECT_EQ(warnings_of(config), "") << "the order of rows is no difference";
  ASSERT_EQ(config.files.size(), 2u);
  EXPECT_EQ(config.files[1].format, "params.json of Meta");
  EXPECT_EQ(config.files[1].role, "compared");
}

TEST_F(FolderOfAModel, WithTwoDescriptionsThatDifferNamesBoth) {
  add("config.json", with(published("llama-3.1-8b"), {{"rope_theta", 10000.0}, {"num_hidden_layers", 31}}).dump());
  add("params.json", golden_text("dialects/llama-3.1-8b.params.json"));
  EXPECT_THAT(warnings_of(read_it()),
              AllOf(HasSubstr("params.json: 31 layers from 0 to 30 rotate otherwise than "),
                    HasSubstr("config.json says: base 10000 / 500000"), HasSubstr("params.json: has 32 layers, ")));
}

TEST_F(FolderOfAModel, WithoutAConfigIsReadByThePublishersOwnFile) {
  add("params.json", golden_text("dialects/mistral-7b-v0.3.params.json"));
  EXPECT_EQ(read_it().files.at(0).format, "params.json of Mistral");
  EXPECT_EQ(read_it().reference, kOriginal);
}

TEST_F(FolderOfAModel, SaysWhatItCannotReadBesideTheConfig) {
  add("config.json", llama().dump());
  add("params.json", "{");
  add("model.safetensors", "x");
  const ModelConfig config = read_it();
  EXPECT_EQ(config.rotations.size(), 1u);
  EXPECT_THAT(warnings_of(config),
              AllOf(HasSubstr("params.json: not compared: "), HasSubstr("model.safetensors: not compared: ")));
  EXPECT_EQ(config.files.at(2).role, "left aside: it cannot be read");
}

TEST_F(FolderOfAModel, ThatIsEmptyIsAnError) {
  try {
    read_it();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              folder_.string() + ": must hold config.json, params.json, a GGUF file or safetensors, got none");
  }
}

TEST_F(FolderOfAModel, TellsFilesApartByContentFirst) {
  using detail::FileKind;
  using detail::kind_of_file;
  add("a.json", "GGUF and more bytes");
  EXPECT_EQ(kind_of_file(file("a.json")), FileKind::kGguf);
  write_safetensors(file("b.json"), {});
  EXPECT_EQ(kind_of_file(file("b.json")), FileKind::kSafetensors);
  add("c.json", "        {\"dim\": 1}");
  EXPECT_EQ(kind_of_file(file("c.json")), FileKind::kDocument);
  add("d.safetensors", "?");
  EXPECT_EQ(kind_of_file(file("d.safetensors")), FileKind::kSafetensors);
  EXPECT_EQ(kind_of_file(file("none/e.gguf")), FileKind::kDocument);
}

// As a shell's <(command) gives it: the writer may come later.
TEST_F(FolderOfAModel, FilesMayBePipes) {
  const std::string pipe = file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text = llama().dump();
  std::thread writer([&] {
    const int out = ::open(pipe.c_str(), O_WRONLY);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(::write(out, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(out);
  });
  EXPECT_EQ(read_model_config(pipe).rotations.size(), 1u);
  writer.join();
}

}  // namespace
}  // namespace rotary::testing
