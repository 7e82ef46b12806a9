// Matrix products against a twin in double: every way that matrices lie in memory, every option.
#include "reference/multiply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "core/bad_calls.h"
#include "core/bfloat16.h"
#include "matmul/matmul.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

using reference::Table;

constexpr float kUntouched = 7.5f;

// A matrix in memory with more room than it needs.
struct Stored {
  Stored(const Table& table, bool transposed, std::int64_t gap)
      : rows(static_cast<std::int64_t>(table.rows)),
        columns(static_cast<std::int64_t>(table.columns)),
        stride((transposed ? rows : columns) + gap),
        is_transposed(transposed),
        values(static_cast<std::size_t>(stride * (transposed ? columns : rows)), kUntouched) {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        at(r, c) = static_cast<float>(table.at(static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
  }

  float& at(std::int64_t r, std::int64_t c) {
    return values[static_cast<std::size_t>(is_transposed ? c * stride + r : r * stride + c)];
  }
  ConstMatrix view() const { return {values.data(), rows, columns, stride, is_transposed}; }
  Matrix output() { return {values.data(), rows, columns, stride, is_transposed}; }
  std::int64_t count_untouched() const { return std::count(values.begin(), values.end(), kUntouched); }

  std::int64_t rows, columns, stride;
  bool is_transposed;
  std::vector<float> values;
};

// Numbers of float32 in -1 .. 1; so that bfloat16 must round them.
Table draw(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  text::Random random(seed);
  Table out(rows, columns);
  for (double& x : out.values) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

template <class F>
Table mapped(Table table, const F& f) {
  for (double& x : table.values) x = f(x);
  return table;
}
Table magnitudes(const Table& table) {
  return mapped(table, [](double x) { return std::abs(x); });
}
Table rounded(const Table& table) {
  return mapped(table, [](double x) { return detail::rounded_to_bfloat16(static_cast<float>(x)); });
}

enum class Addend { kNothing, kBias, kResult };

struct Shape {
  std::size_t m, n, k;
};

struct Case {
  Shape shape;
  bool a_transposed, b_transposed;
  std::int64_t gap;
  Addend addend;
  MatmulPrecision precision;
};

// A sum of k products and an addend is off by (k + 1) 2^-24 of the sum of magnitudes.
void check_case(const Case& x) {
  const bool rounds = x.precision == MatmulPrecision::kBfloat16;
  const Table a = draw(x.shape.m, x.shape.k, 1), b = draw(x.shape.k, x.shape.n, 2),
              before = draw(x.shape.m, x.shape.n, 3);
  const Table bias = draw(1, x.shape.n, 4);
  const Stored in_a(a, x.a_transposed, x.gap), in_b(b, x.b_transposed, x.gap), in_bias(bias, false, 0);
  Stored c(before, false, x.gap);
  const std::int64_t untouched = c.count_untouched();
  multiply(in_a.view(), in_b.view(), c.output(),
           {x.precision, x.addend == Addend::kResult, x.addend == Addend::kBias ? in_bias.values.data() : nullptr});
  const Table want = rounds ? reference::multiply(rounded(a), rounded(b)) : reference::multiply(a, b);
  const Table size = reference::multiply(magnitudes(a), magnitudes(b));
  for (std::size_t m = 0; m < x.shape.m; ++m)
    for (std::size_t n = 0; n < x.shape.n; ++n) {
      const double addend = x.addend == Addend::kBias     ? bias.at(0, n)
                            : x.addend == Addend::kResult ? before.at(m, n)
                                                          : 0;
      const double tolerance = static_cast<double>(x.shape.k + 1) * 0x1p-24 * (1.01 * size.at(m, n) + std::abs(addend));
      ASSERT_NEAR(static_cast<double>(c.at(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n))),
                  want.at(m, n) + addend, tolerance)
          << "row " << m << " column " << n;
    }
  EXPECT_EQ(c.count_untouched(), untouched) << "something was written beside c";
}

class EveryProduct : public ::testing::TestWithParam<Shape> {
 protected:
  static void check_all(MatmulPrecision precision) {
    for (const bool a_transposed : {false, true})
      for (const bool b_transposed : {false, true})
        for (const std::int64_t gap : {0, 5})
          for (const Addend addend : {Addend::kNothing, Addend::kBias, Addend::kResult}) {
            SCOPED_TRACE(::testing::Message() << "a " << a_transposed << " b " << b_transposed << " gap " << gap
                                              << " addend " << static_cast<int>(addend));
            check_case({GetParam(), a_transposed, b_transposed, gap, addend, precision});
          }
  }
};

TEST_P(EveryProduct, EqualsTheTwinHoweverItsMatricesLie) { check_all(MatmulPrecision::kFloat32); }
TEST_P(EveryProduct, OfBfloat16EqualsTheTwinOfRoundedFactors) { check_all(MatmulPrecision::kBfloat16); }

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  return std::to_string(info.param.m) + "_" + std::to_string(info.param.n) + "_" + std::to_string(info.param.k);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryProduct,
                         ::testing::Values(Shape{1, 1, 1}, Shape{1, 17, 3}, Shape{13, 1, 64}, Shape{7, 5, 3},
                                           Shape{48, 70, 33}, Shape{3, 4, 0}, Shape{65, 33, 130}),
                         shape_name);

// Rounding a factor to 8 bits is off by 2^-9 of it, so a product of two by (2^-8 + 2^-18).
TEST(Bfloat16Products, AreCloseToTheExactOnesAndNotTheSame) {
  const Table a = draw(20, 40, 5), b = draw(40, 30, 6), size = reference::multiply(magnitudes(a), magnitudes(b));
  const Table want = reference::multiply(a, b);
  const Stored in_a(a, false, 0), in_b(b, false, 0);
  Stored c(Table(20, 30), false, 0);
  multiply(in_a.view(), in_b.view(), c.output(), {MatmulPrecision::kBfloat16, false, nullptr});
  double largest = 0;
  for (std::size_t m = 0; m < 20; ++m)
    for (std::size_t n = 0; n < 30; ++n) {
      const double error = std::abs(
          static_cast<double>(c.at(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n))) - want.at(m, n));
      EXPECT_LE(error, (0x1p-8 + 0x1p-18 + 41 * 0x1p-24) * size.at(m, n));
      largest = std::max(largest, error);
    }
  EXPECT_GT(largest, 1e-4);
}

TEST(EmptyProducts, Succeed) {
  float c = kUntouched;
  multiply({nullptr, 0, 3, 3}, {&c, 3, 1, 1}, {nullptr, 0, 1, 1});
  multiply({&c, 1, 1, 1}, {nullptr, 1, 0, 0}, {nullptr, 1, 0, 0});
  EXPECT_EQ(c, kUntouched);
}

TEST(NotANumber, Propagates) {
  for (const auto precision : {MatmulPrecision::kFloat32, MatmulPrecision::kBfloat16}) {
    const std::vector<float> a = {1, NAN, 2, 3}, b = {1, 0, 0, 1};
    std::vector<float> c(4);
    multiply({a.data(), 2, 2, 2}, {b.data(), 2, 2, 2}, {c.data(), 2, 2, 2}, {precision, false, nullptr});
    EXPECT_TRUE(std::isnan(c[1]));
    EXPECT_EQ(c[2], 2);
    EXPECT_EQ(c[3], 3);
  }
}

std::vector<float> product_bits(MatmulPrecision precision) {
  const Stored a(draw(90, 70, 7), false, 0), b(draw(70, 110, 8), true, 3);
  Stored c(Table(90, 110), false, 0);
  for (int again = 0; again < 20; ++again) multiply(a.view(), b.view(), c.output(), {precision, false, nullptr});
  return c.values;
}

TEST(TwoThreadsAtOnce, GiveTheBitsOfOne) {
  for (const auto precision : {MatmulPrecision::kFloat32, MatmulPrecision::kBfloat16}) {
    const std::vector<float> alone = product_bits(precision);
    std::vector<float> first, second;
    std::thread other([&] { first = product_bits(precision); });
    second = product_bits(precision);
    other.join();
    EXPECT_EQ(first, alone);
    EXPECT_EQ(second, alone);
  }
}

// --- Calls that are refused

float room[64];

void multiply_with(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, const MultiplyOptions& options = {}) {
  multiply(a, b, c, options);
}

class BadMultiply : public ::testing::TestWithParam<BadCall> {};
TEST_P(BadMultiply, IsRefused) { expect_refused(GetParam()); }

const BadCall kBadCalls[] = {
    {"inner_extents_differ",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 4, 2, 2}, {room, 2, 2, 2});
     },
     "invalid_argument", "shapes must be [m, k] [k, n] = [m, n], got 2 x 3"},
    {"rows_differ",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 3, 2, 2}, {room, 3, 2, 2});
     },
     "invalid_argument", "shapes must be"},
    {"columns_differ",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 3, 2, 2}, {room, 2, 3, 3});
     },
     "invalid_argument", "shapes must be"},
    {"rows_overlap",
     [] {
       multiply_with({room, 2, 3, 2}, {room, 3, 2, 2}, {room, 2, 2, 2});
     },
     "invalid_argument", "a must have"},
    {"transposed_rows_overlap",
     [] {
       multiply_with({room, 3, 2, 2, true}, {room, 2, 2, 2}, {room, 3, 2, 2});
     },
     "invalid_argument", "a must have"},
    {"b_is_null",
     [] {
       multiply_with({room, 2, 3, 3}, {nullptr, 3, 2, 2}, {room, 2, 2, 2});
     },
     "invalid_argument", "b must have"},
    {"c_overlaps_itself",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 3, 2, 2}, {room, 2, 2, 1});
     },
     "invalid_argument", "c must have"},
    {"c_is_transposed",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 3, 2, 2}, {room, 2, 2, 2, true});
     },
     "invalid_argument", "c must have"},
    {"negative_extent",
     [] {
       multiply_with({room, -1, 3, 3}, {room, 3, 2, 2}, {room, -1, 2, 2});
     },
     "invalid_argument", "a must have"},
    {"bias_and_sum",
     [] {
       multiply_with({room, 2, 3, 3}, {room, 3, 2, 2}, {room, 2, 2, 2}, {MatmulPrecision::kFloat32, true, room});
     },
     "invalid_argument", "bias must not come with accumulate"},
};
INSTANTIATE_TEST_SUITE_P(Calls, BadMultiply, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
