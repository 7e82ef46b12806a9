// Data sets as folders and files: which document ends up where.
#include "text/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "text/data_folder.h"

namespace rotary::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using text::Corpus;
using text::CorpusOptions;
using text::Document;

std::vector<std::string> ids(const std::vector<Document>& documents) {
  std::vector<std::string> out;
  for (const Document& d : documents) out.push_back(d.id);
  return out;
}

std::string error_of(const std::string& path) {
  try {
    text::load_corpus(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(no error)";
}

std::string rows(const std::string& prefix, int count) {
  std::string out = "text,label\n";
  for (int i = 0; i < count; ++i) out += prefix + std::to_string(i) + (i % 2 == 0 ? ",x\n" : ",y\n");
  return out;
}

constexpr const char* kX = "{\"text\": \"one\", \"label\": \"x\"}\n";
constexpr const char* kY = "{\"text\": \"two\", \"label\": \"y\"}\n";

TEST(SplitFiles, AreTakenByName) {
  for (const char* valid : {"valid", "validation", "val", "dev"}) {
    const DataFolder folder;
    folder.write("train.jsonl.gz", gzip(std::string(kX) + kY));
    folder.write(std::string(valid) + ".csv", "text,label\nthree,y\n");
    folder.write("test.tsv", "text\tlabel\nfour\tx\n");
    folder.write("packages.tsv", "not data");
    const Corpus corpus = text::load_corpus(folder.root());
    EXPECT_THAT(ids(corpus.train), ElementsAre("train.jsonl.gz:1", "train.jsonl.gz:2"));
    EXPECT_THAT(ids(corpus.valid), ElementsAre(std::string(valid) + ".csv:2"));
    EXPECT_THAT(ids(corpus.test), ElementsAre("test.tsv:2"));
    EXPECT_THAT(corpus.labels, ElementsAre("x", "y"));
    EXPECT_TRUE(corpus.valid_given && corpus.test_given);
  }
}

TEST(SplitFiles, WhatIsMissingIsSplitOffTheTrainingDocuments) {
  const DataFolder folder;
  folder.write("train.csv", rows("t", 100));
  folder.write("test.csv", rows("e", 6));
  const Corpus corpus = text::load_corpus(folder.root());
  EXPECT_THAT(corpus.train, SizeIs(90));
  EXPECT_THAT(corpus.valid, SizeIs(10));
  EXPECT_THAT(corpus.test, SizeIs(6));
  EXPECT_FALSE(corpus.valid_given);
  EXPECT_TRUE(corpus.test_given);
}

TEST(SplitFiles, TwoOfOnePartAreAnError) {
  const DataFolder folder;
  folder.write("train.csv", rows("t", 10));
  folder.write("dev.csv", rows("d", 10));
  folder.write("valid.jsonl", kX);
  EXPECT_EQ(error_of(folder.root()),
            folder.root() + ": must hold each part of the data once, got 'dev.csv' and 'valid.jsonl'");
}

TEST(SplitFiles, ATestFileWithoutATrainingFileIsAnError) {
  const DataFolder folder;
  folder.write("test.csv", rows("t", 10));
  EXPECT_THAT(error_of(folder.root()), HasSubstr("must hold a training file (train.jsonl, train.csv or train.tsv)"));
}

TEST(SplitFiles, AnEmptyTestFileIsAnError) {
  const DataFolder folder;
  folder.write("train.csv", rows("t", 10));
  folder.write("test.csv", "text,label\n");
  EXPECT_EQ(error_of(folder.root()), folder.root() + ": must hold test documents, got none");
}

TEST(SplitFiles, ALabelThatTrainingHasNotSeenIsAnErrorThatNamesTheDocument) {
  const DataFolder folder;
  folder.write("train.jsonl", std::string(kX) + kY);
  folder.write("valid.jsonl", kX);
  folder.write("test.jsonl", std::string(kY) + "{\"text\": \"five\", \"label\": \"z\"}\n");
  EXPECT_EQ(error_of(folder.root()), folder.root() +
                                         ": must have every label of its validation and test documents among the "
                                         "training documents, got 'z' of 'test.jsonl:2'");
}

TEST(ClassFolders, LabelTheFilesInThem) {
  const DataFolder folder;
  for (const char* name : {"b/1.txt", "b/2", "b/deep/er/3.csv", "a/1.txt", "a/2.txt.gz", "a/3", "README", "a/.hidden"})
    folder.write(name, std::string(name).ends_with("gz") ? gzip("packed text") : std::string("text of ") + name);
  folder.write(".git/x", "hidden");
  const Corpus corpus = text::load_corpus(folder.root());
  auto all = ids(corpus.train);
  for (const auto* part : {&corpus.valid, &corpus.test})
    for (const auto& id : ids(*part)) all.push_back(id);
  EXPECT_THAT(all, UnorderedElementsAre("a/1.txt", "a/2.txt.gz", "a/3", "b/1.txt", "b/2", "b/deep/er/3.csv"));
  EXPECT_THAT(corpus.labels, ElementsAre("a", "b"));
  EXPECT_EQ(corpus.num_ignored_files, 1u);
  EXPECT_THAT(describe_findings(corpus), ElementsAre("1 file beside the class folders ignored"));
}

TEST(ClassFolders, MayBeNestedInPartsOfTheData) {
  const DataFolder folder;
  for (const char* name : {"train/a/1", "train/a/2", "train/b/1", "val/a/1", "test/b/1", "other/c/1"})
    folder.write(name, std::string("text of ") + name);
  const Corpus corpus = text::load_corpus(folder.root());
  EXPECT_THAT(ids(corpus.train), ElementsAre("train/a/1", "train/a/2", "train/b/1"));
  EXPECT_THAT(ids(corpus.valid), ElementsAre("val/a/1"));
  EXPECT_THAT(ids(corpus.test), ElementsAre("test/b/1"));
}

TEST(ClassFolders, MayBeCalledTrainAndTest) {
  const DataFolder folder;
  for (const char* name : {"train/1", "train/2", "train/3", "plane/1", "plane/2", "plane/3"})
    folder.write(name, std::string("text of ") + name);
  EXPECT_THAT(text::load_corpus(folder.root()).labels, ElementsAre("plane", "train"));
}

TEST(ClassFolders, WithoutAnythingInThemAreErrors) {
  const DataFolder folder;
  EXPECT_THAT(error_of(folder.root()), HasSubstr("or a folder of text files for each class, got an empty folder"));
  folder.write("a.txt", "a");
  EXPECT_THAT(error_of(folder.root()), HasSubstr("got other files only"));
  folder.write("b/1", "text");
  const std::string empty = folder.make_folder("a");
  EXPECT_EQ(error_of(folder.root()), empty + ": must hold a text file, as every class folder, got an empty folder");
  folder.write("a/1", " \n");
  EXPECT_EQ(error_of(folder.root()), empty + ": must hold a text, as every class folder, got empty files only");
}

TEST(ClassFolders, ALinkToNowhereIsAnErrorAndALinkBackIsNotFollowed) {
  const DataFolder folder;
  for (const char* name : {"a/1", "a/2", "a/3", "b/1", "b/2", "b/3"}) folder.write(name, std::string("text ") + name);
  std::filesystem::create_directory_symlink(folder.root(), folder.path("a/back"));
  EXPECT_EQ(text::load_corpus(folder.root()).train.size(), 2u);
  std::filesystem::create_symlink(folder.path("nowhere"), folder.path("b/link"));
  EXPECT_EQ(error_of(folder.root()), folder.path("b/link") + ": must be readable, got No such file or directory");
}

TEST(OneFile, IsSplitTheSameWayInEveryFormAndOrder) {
  const DataFolder folder;
  std::string csv = "text,label\n", reversed = "text,label\n", json;
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i), label = i % 2 == 0 ? "x" : "y";
    csv += "text " + number + "," + label + "\n";
    reversed += "text " + std::to_string(49 - i) + "," + (i % 2 == 0 ? "y" : "x") + "\n";
    json += "{\"text\": \"text " + number + "\", \"label\": \"" + label + "\"}\n";
    folder.write("classes/" + label + "/" + number, "text " + number);
  }
  const auto test_texts = [](const std::string& path) {
    std::vector<std::string> out;
    for (const Document& d : text::load_corpus(path).test) out.push_back(d.text);
    std::sort(out.begin(), out.end());
    return out;
  };
  const auto expected = test_texts(folder.write("a.csv", csv));
  EXPECT_THAT(expected, SizeIs(10));
  EXPECT_EQ(test_texts(folder.write("b.csv", reversed)), expected);
  EXPECT_EQ(test_texts(folder.write("a.jsonl", json)), expected);
  EXPECT_EQ(test_texts(folder.path("classes")), expected);
}

TEST(Texts, AreReadFromEveryFormWithoutLabels) {
  const DataFolder folder;
  folder.write("a/b/1.txt", "first");
  folder.write("a/2.jsonl", "{\"text\": \"second\"}\n{\"text\": \"third\", \"label\": 3.5}\n");
  folder.write("c.csv.gz", gzip("text\nfourth\n"));
  CorpusOptions options;
  options.valid_fraction = 0;
  const Corpus corpus = text::load_texts(folder.root(), options);
  EXPECT_THAT(ids(corpus.train), ElementsAre("a/2.jsonl:1", "a/2.jsonl:2", "a/b/1.txt", "c.csv.gz:2"));
  EXPECT_THAT(corpus.labels, IsEmpty());
  EXPECT_EQ(corpus.train[1].label, "");
  EXPECT_EQ(corpus.train[1].text, "third");
  EXPECT_EQ(text::load_texts(folder.path("a/b/1.txt")).train.at(0).text, "first");
}

TEST(Texts, OfTheTestPartAreNotRead) {
  const DataFolder folder;
  folder.write("train.jsonl", "{\"text\": \"one\"}\n");
  folder.write("valid.jsonl", "{\"text\": \"two\"}\n");
  folder.write("test.jsonl", "no JSON");
  const Corpus corpus = text::load_texts(folder.root());
  EXPECT_THAT(ids(corpus.train), ElementsAre("train.jsonl:1"));
  EXPECT_THAT(ids(corpus.valid), ElementsAre("valid.jsonl:1"));
  EXPECT_THAT(corpus.test, IsEmpty());
}

}  // namespace
}  // namespace rotary::testing
