// What `rotary check` asks of a machine, asked of this one.
#include "rotary/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/rotate_kernels.h"
#include "rotary/apply.h"

namespace rotary::testing {
namespace {

TEST(SelfTest, PassesOnEveryTarget) {
  std::set<std::string> targets;
  for (const SelfTestResult& r : self_test()) {
    EXPECT_TRUE(r.passed) << r.target << ": " << r.name << ": " << r.detail;
    targets.insert(r.target);
  }
  const std::vector<std::string> all = detail::available_targets();
  EXPECT_EQ(targets, std::set<std::string>(all.begin(), all.end()));
}

TEST(SelfTest, PutsTheTargetBack) {
  const std::string before(simd_target());
  self_test();
  EXPECT_EQ(simd_target(), before);
}

TEST(SelfTest, NamesEachCheckOnceForATarget) {
  std::multiset<std::pair<std::string, std::string>> names;
  for (const SelfTestResult& r : self_test()) names.emplace(r.target, r.name);
  for (const auto& name : names) EXPECT_EQ(names.count(name), 1U) << name.second;
}

}  // namespace
}  // namespace rotary::testing
