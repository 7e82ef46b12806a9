// `rotary train`: every form of data, what it refuses, and the same bits whatever happens on the way.
#ifdef ROTARY_HAS_MODEL_VERBS
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/classifier.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Train : public Classifier {
 protected:
  std::string command(const std::string& data, const std::string& options = "--epochs 1") const {
    return "train --data " + data + " --output " + file("model") + small(options);
  }
  std::string weights() const { return bytes("model/model.safetensors"); }
};

TEST_F(Train, ReadsEveryFormOfData) {
  std::string csv = "text,label\n", tsv = "text\tlabel\n", jsonl;
  int number = 0;
  for (const auto& [label, text] : sentences()) {
    csv += text + "," + label + "\n";
    tsv += text + "\t" + label + "\n";
    jsonl += nlohmann::json{{"text", text}, {"label", label}}.dump() + "\n";
    write_in("folder/" + label + "/" + std::to_string(number++) + ".txt", text);
  }
  write(csv, "data.csv");
  write(tsv, "data.tsv");
  write(jsonl, "data.jsonl");
  write(csv, "packed.csv");
  ASSERT_EQ(std::system(("gzip " + file("packed.csv")).c_str()), 0);
  for (const char* name : {"folder", "data.csv", "data.tsv", "data.jsonl", "packed.csv.gz"}) {
    const Finished run = rotary(command(file(name)));
    EXPECT_EQ(run.status, 0) << name << run.err;
    EXPECT_THAT(run.out, HasSubstr("42 training, 6 validation and 12 test documents in 3 classes")) << name;
    EXPECT_THAT(run.out, HasSubstr("test accuracy")) << name;
  }
}

TEST_F(Train, LearnsWhatWordsSay) {
  train("--epochs 8");
  EXPECT_THAT(bytes("out"), HasSubstr("test accuracy 100.0 %"));
  std::size_t epochs = 0;
  std::istringstream log(bytes("model/log.jsonl"));
  for (std::string line; std::getline(log, line);) epochs += nlohmann::json::parse(line).contains("valid_accuracy");
  EXPECT_EQ(epochs, 8u);
  EXPECT_FALSE(std::filesystem::exists(file("model/checkpoint.safetensors")));
}

struct BadData {
  const char* name;
  std::string text, part;
};

TEST_F(Train, SaysWhatIsWrongWithTheData) {
  const std::string rows = "wave,sea\ntide,sea\ngull,sea\nrose,garden\nleaf,garden\nworm,garden\n";
  const BadData cases[] = {
      {"utf8.csv", "text,label\nwave,sea\nbad \xff,sea\n" + rows, "utf8.csv:3:5: must be UTF-8, got the byte 0xff"},
      {"one_class.csv", "text,label\nwave,sea\ntide,sea\n",
       "must have documents of two labels or more, got 'sea' only"},
      {"no_column.csv", "words,label\n" + rows, "must have a column 'text', got the columns 'words', 'label'"},
      {"no_documents.csv", "text,label\n", "must hold training documents, got none"},
      {"empty.csv", "", "must begin with a header row, got an empty file"},
      {"blank.csv", "text,label\n ,sea\n ,garden\n", "must hold training documents, got 2, all without text"},
      {"few.csv", "text,label\nwave,sea\nrose,garden\n", "must have three documents or more of a label"},
      {"zero.csv", std::string("text,label\na\0b,sea\n", 19) + rows, "zero.csv:2:2: must be text, got a NUL byte"},
      {"cut.csv.gz", "\x1f\x8b\x08", "must be whole gzip data"},
      {"no_key.jsonl", "{\"text\": \"wave\"}\n", "no_key.jsonl:1: "},
      {"broken.jsonl", "{\"text\": \"wave\", \"label\": \"sea\"}\n{\"text\":\n", "broken.jsonl:2:"},
      {"data.txt", "wave", "must end in .csv, .tsv or .jsonl"},
      {"huge.csv", "text,label\n" + std::string((64u << 20) + 1, 'x') + ",sea\n", "must be at most 67108864 bytes"},
  };
  for (const BadData& bad : cases) {
    SCOPED_TRACE(bad.name);
    write(bad.text, bad.name);
    expect_failure(rotary(command(file(bad.name))), 1, bad.part);
  }
  expect_failure(rotary(command(file("missing.csv"))), 1, "missing.csv: must be readable");
  expect_failure(rotary(command("''")), 2, "--data: must be a path");
}

TEST_F(Train, SaysWhatIsWrongWithFolders) {
  for (const auto& [label, text] : sentences(6)) write_in("classes/" + label + "/" + text + ".txt", text);
  std::filesystem::create_directories(folder_ / "classes/empty");
  expect_failure(rotary(command(file("classes"))), 1, "classes/empty: must hold a text file");
  std::filesystem::remove(folder_ / "classes/empty");
  write_in("classes/sea/program.txt", std::string("\x7f"
                                                  "ELF\0",
                                                  5));
  expect_failure(rotary(command(file("classes"))), 1, "program.txt:1:5: must be text, got a NUL byte");
  expect_failure(rotary("train --data " + file("classes") + " --output " + file("classes/model")), 1,
                 "--output: must be outside the folder of --data");
  EXPECT_FALSE(std::filesystem::exists(file("classes/model")));
  std::filesystem::create_directories(folder_ / "splits");
  write_csv("splits/train.csv");
  write_in("splits/test.csv", "text,label\nwave,river\n");
  expect_failure(rotary(command(file("splits"))), 1, "among the training documents, got 'river' of 'test.csv:2'");
  std::filesystem::create_symlink("loop", folder_ / "loop");
  expect_failure(rotary(command(file("loop"))), 1, "loop: must be readable");
}

TEST_F(Train, NamesTheOptionThatIsOutOfRange) {
  const std::string data = write_csv();
  for (const char* option : {"--heads 3",
                             "--heads 16",
                             "--layers 0",
                             "--feed-forward -1",
                             "--dropout 1",
                             "--dropout nan",
                             "--encoding foo",
                             "--pooling foo",
                             "--norm foo",
                             "--pairing foo",
                             "--scaling foo",
                             "--scaling yarn",
                             "--factor 2",
                             "--base 1",
                             "--max-position 0",
                             "--epochs 0",
                             "--epochs 1e3",
                             "--steps -1",
                             "--max-length 0",
                             "--crop 2",
                             "--crop nan",
                             "--embedding-rate nan",
                             "--weight-decay -1",
                             "--warm-up 1",
                             "--patience -1",
                             "--seed -1",
                             "--split-seed -1",
                             "--tokenizer foo",
                             "--vocab-size 5",
                             "--threads 0",
                             "--dtype float64",
                             "--valid-fraction 1",
                             "--test-fraction -0.1",
                             "--max-position 100 --encoding learned",
                             "--learning-rates 1",
                             "--token-dropout 1",
                             "--label-smoothing 1"}) {
    SCOPED_TRACE(option);
    const Finished run = rotary("train --data " + data + " --output " + file("model") + " --d-model 16 " + option);
    const std::string words = option;
    expect_failure(run, 2, words.substr(0, words.find(' ')));
  }
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(Train, NeedsAPlaceToWrite) {
  const std::string data = write_csv();
  write("a file", "taken");
  expect_failure(rotary("train --data " + data + " --output " + file("taken")), 1, "taken: must be a folder");
  expect_failure(rotary("train --data " + data + " --output " + file("taken/model")), 1,
                 "taken/model: must be a folder");
  expect_failure(rotary("train --data " + data), 2, "--output");
}

TEST_F(Train, GivesTheSameBitsForASeedAtAnyNumberOfThreads) {
  const std::string data = write_csv(), common = "--epochs 2 --crop 0.5 --max-length 8 ";
  std::vector<std::string> weights_of;
  for (const char* more : {"--threads 1", "--threads 1", "--threads 2", "--threads 2 --seed 1"}) {
    ASSERT_EQ(rotary(command(data, common + more)).status, 0);
    weights_of.push_back(weights());
  }
  EXPECT_EQ(weights_of[0], weights_of[1]);
  EXPECT_EQ(weights_of[0], weights_of[2]);
  EXPECT_NE(weights_of[0], weights_of[3]);
}

class Interrupted : public Train {
 protected:
  // Ends in the middle of the third epoch or soon after it.
  void SetUp() override {
    Train::SetUp();
    run_ = command(write_csv(), "--epochs 300 --crop 0.5 --max-length 8 --threads 1");
  }
  Finished interrupt(int signal = SIGINT) const {
    return rotary_until(run_, "model/log.jsonl", "\"epoch\":1,", signal);
  }
  std::string run_;
};

TEST_F(Interrupted, GoesOnToTheBitsOfAnUninterruptedTraining) {
  ASSERT_EQ(rotary(run_).status, 0);
  const std::string expected = weights();
  ASSERT_FALSE(expected.empty());
  std::filesystem::remove_all(file("model"));  // its log, which interrupt() waits for
  const Finished stopped = interrupt();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("rotary: interrupted at step "));
  EXPECT_THAT(stopped.err, HasSubstr("--resume"));
  EXPECT_THAT(stopped.out, Not(HasSubstr("trained")));
  EXPECT_TRUE(std::filesystem::exists(file("model/checkpoint.safetensors")));
  const Finished resumed = rotary(run_ + " --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(weights(), expected);
  EXPECT_FALSE(std::filesystem::exists(file("model/checkpoint.safetensors")));
  expect_failure(rotary(run_ + " --resume"), 1, "must have an unfinished training to --resume");
}

TEST_F(Interrupted, RefusesWhatWouldNotGoOnAsItBegan) {
  ASSERT_EQ(interrupt(SIGTERM).status, 130);
  expect_failure(rotary(run_), 1, "has an unfinished training; give --resume, or another --output");
  const std::pair<const char*, const char*> others[] = {{"--weight-decay 0.5", "weight_decay must be 0.01 as before"},
                                                        {"--encoding none", " as before, got"},
                                                        {"--dropout 0.3", "must be 0.1 as before, got 0.3"},
                                                        {"--split-seed 1", "split_seed must be 0 as before, got 1"},
                                                        {"--valid-fraction 0.2", " as before, got"},
                                                        {"--heads 4", "must be 2 as before, got 4"}};
  for (const auto& [option, part] : others) {
    SCOPED_TRACE(option);
    expect_failed_work(rotary(run_ + " --resume " + option), part);
  }
  const std::string whole = bytes("model/checkpoint.safetensors");
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string("nothing of the kind"),
                                     std::string(), std::string(whole).replace(20, 8, "????????")}) {
    write(damaged, "model/checkpoint.safetensors");
    expect_failed_work(rotary(run_ + " --resume"), "checkpoint.safetensors: ");
  }
  std::filesystem::remove(file("model/tokenizer.json"));
  expect_failed_work(rotary(run_ + " --resume"), "tokenizer");
}

TEST_F(Interrupted, LeavesAFolderThatLoadsWhenKilled) {
  EXPECT_EQ(interrupt(SIGKILL).status, -1);
  const Finished run = rotary_reading("the gull on the wave", "classify " + file("model") + " -");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("sea"));
}

TEST_F(Train, ReplacesAnEarlierModelAsAWhole) {
  train("--epochs 1 --tokenizer unigram --vocab-size 300");
  const std::string data = write_csv("two.csv", 40, 2);
  ASSERT_EQ(rotary(command(data)).status, 0);
  EXPECT_EQ(rotary_reading("the gull", "classify " + file("model") + " -").status, 0);
  // One that breaks off before its first epoch leaves no model, rather than an earlier one with another tokenizer.
  expect_failed_work(
      rotary("train --data " + data + " --output " + file("model") + " --batch-size 8 --learning-rate 1e30"),
      "the gradient must be finite");
  EXPECT_FALSE(std::filesystem::exists(file("model/model.safetensors")));
}

TEST_F(Train, TakesAllDocumentsWhereNoneAreSplitOff) {
  const Finished run = rotary(command(write_csv(), "--epochs 1 --valid-fraction 0 --test-fraction 0"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("60 training, 0 validation and 0 test documents"));
  EXPECT_THAT(run.out, HasSubstr("there are no test documents"));
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("accuracy")));
}

TEST_F(Train, BeginsWithAnotherEncoder) {
  train();
  const std::string two = write_csv("two.csv", 40, 2), from = " --from " + file("model") + " --output " + file("next");
  const Finished run = rotary("train --data " + two + from + " --epochs 1");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("in 2 classes"));
  expect_failure(rotary("train --data " + two + from + " --heads 4"), 2, "--from");
  expect_failed_work(rotary("train --data " + two + " --from " + file("nothing") + " --output " + file("next")),
                     "nothing");
}

}  // namespace
}  // namespace rotary::testing

#endif  // ROTARY_HAS_MODEL_VERBS
