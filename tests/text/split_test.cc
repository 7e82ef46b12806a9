// The stratified split: sizes, order, and that it is the same everywhere.
#include "text/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "text/hash64.h"

namespace rotary::testing {
namespace {

using text::Document;
using text::DocumentSplit;
using text::split_documents;
using text::split_sizes;

std::vector<Document> make_documents(const std::map<std::string, int>& counts) {
  std::vector<Document> out;
  for (const auto& [label, count] : counts)
    for (int i = 0; i < count; ++i)
      out.push_back({label + " text " + std::to_string(i), label, std::to_string(out.size())});
  return out;
}

std::string ids(const std::vector<Document>& documents) {
  std::string out;
  for (const Document& d : documents) out += d.id + " ";
  return out;
}

int count(const std::vector<Document>& documents, const std::string& label) {
  int out = 0;
  for (const Document& d : documents) out += d.label == label ? 1 : 0;
  return out;
}

TEST(SplitProperty, EveryClassOfThreeHasADocumentInEachPart) {
  for (std::size_t n = 3; n < 300; ++n)
    for (const double valid : {0.001, 0.1, 0.5, 0.9})
      for (const double test : {0.001, 0.2, 0.45, 0.95}) {
        const auto sizes = split_sizes(n, {valid, test});
        EXPECT_EQ(sizes.train + sizes.valid + sizes.test, n);
        EXPECT_TRUE(sizes.train >= 1 && sizes.valid >= 1 && sizes.test >= 1) << n << " " << valid << " " << test;
        if (valid + test > 0.9 || static_cast<double>(n) * 0.1 < 2) continue;  // there is room for the fractions
        EXPECT_LE(static_cast<double>(sizes.valid), static_cast<double>(n) * valid + 1);
        EXPECT_GE(static_cast<double>(sizes.valid), static_cast<double>(n) * valid - 0.5);
      }
}

TEST(Split, SmallClassesAndFractionsOfZeroStayInTraining) {
  EXPECT_EQ(split_sizes(2, {0.1, 0.2}).train, 2u);
  EXPECT_EQ(split_sizes(0, {0.1, 0.2}).train, 0u);
  EXPECT_EQ(split_sizes(10, {0, 0}).train, 10u);
  EXPECT_EQ(split_sizes(10, {0, 0.2}).valid, 0u);
  EXPECT_EQ(split_sizes(10, {0, 0.2}).test, 2u);
}

TEST(Split, IsStratifiedAndKeepsTheOrder) {
  const DocumentSplit split = split_documents(make_documents({{"a", 100}, {"b", 10}, {"c", 3}}), {0.1, 0.2}, 0);
  EXPECT_EQ(count(split.test, "a"), 20);
  EXPECT_EQ(count(split.valid, "a"), 10);
  EXPECT_EQ(count(split.test, "b"), 2);
  EXPECT_EQ(count(split.valid, "b"), 1);
  EXPECT_EQ(count(split.test, "c"), 1);
  EXPECT_EQ(count(split.valid, "c"), 1);
  EXPECT_EQ(split.train.size(), 113u - 23u - 12u);
  for (const auto* part : {&split.train, &split.valid, &split.test})
    for (std::size_t i = 1; i < part->size(); ++i) EXPECT_LT(std::stoi((*part)[i - 1].id), std::stoi((*part)[i].id));
}

TEST(Split, DependsOnTheSeedAlone) {
  const auto documents = make_documents({{"a", 50}, {"b", 50}});
  const DocumentSplit once = split_documents(documents, {0.1, 0.2}, 7);
  const DocumentSplit again = split_documents(documents, {0.1, 0.2}, 7);
  EXPECT_EQ(ids(once.train), ids(again.train));
  EXPECT_EQ(ids(once.test), ids(again.test));
  EXPECT_NE(ids(once.test), ids(split_documents(documents, {0.1, 0.2}, 8).test));
}

// Over many seeds each document is drawn about as often as any other: 1,000 draws of probability 0.2 have a standard
// deviation of 12.6; five of them.
TEST(SplitProperty, DrawsEveryDocumentAlike) {
  const auto documents = make_documents({{"a", 40}});
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    for (const Document& d : split_documents(documents, {0.1, 0.2}, seed).test) ++drawn[d.id];
  EXPECT_EQ(drawn.size(), 40u);
  for (const auto& [id, times] : drawn) EXPECT_NEAR(times, 200, 64) << id;
}

// The published first outputs of SplitMix64 from the state 0.
TEST(Hash, IsSplitMix64) {
  EXPECT_EQ(text::mix64(0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(text::mix64(0x9E3779B97F4A7C15u), 0x6E789E6AA1B965F4u);
}

// What was drawn on one machine is drawn on all; computed once more in Python.
TEST(Split, IsTheSameOnEveryMachine) {
  const DocumentSplit split = split_documents(make_documents({{"a", 10}, {"b", 10}}), {0.1, 0.2}, 1);
  EXPECT_EQ(ids(split.valid) + "/ " + ids(split.test), "3 19 / 1 4 13 14 ");
}

}  // namespace
}  // namespace rotary::testing
