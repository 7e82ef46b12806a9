// Tables of calls that must be refused: the call, the type of the exception, a part of its message.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>

namespace rotary::testing {

struct BadCall {
  const char* name;
  std::function<void()> call;
  const char* type;
  const char* substring;

  friend void PrintTo(const BadCall& c, std::ostream* out) { *out << c.name; }
};

inline std::string type_of(const std::exception& e) {
  if (dynamic_cast<const std::out_of_range*>(&e)) return "out_of_range";
  if (dynamic_cast<const std::length_error*>(&e)) return "length_error";
  return dynamic_cast<const std::invalid_argument*>(&e) ? "invalid_argument" : "another";
}

inline void expect_refused(const BadCall& bad) {
  try {
    bad.call();
    FAIL() << "nothing was thrown";
  } catch (const std::exception& e) {
    EXPECT_EQ(type_of(e), bad.type);
    EXPECT_NE(std::string(e.what()).find(bad.substring), std::string::npos) << e.what();
  }
}

inline std::string bad_call_name(const ::testing::TestParamInfo<BadCall>& info) { return info.param.name; }

}  // namespace rotary::testing
