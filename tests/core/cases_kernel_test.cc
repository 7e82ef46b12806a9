// What users reported of layouts, precision and sizes (UP-n, research/cases.md), out of the kernels: the id is the
// label, or the prefix where a test shows one case only.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "core/apply_cases.h"
#include "core/case_lines.h"

namespace rotary::testing {
namespace {

/// x turned by the kernels.
Vector turned(const RotationMap& map, DType dtype, const Vector& x, double position) {
  Heads heads = zero_heads(dtype, {1, 1, 1, static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) heads.memory.set(i, x[i]);
  const Vector at{position};
  return rotated(Rotary(map, 5), heads, PositionIds{std::span<const double>(at)}).head(0, 0, 0);
}

double length(const Vector& x) { return std::sqrt(reference::dot(x, x)); }

// --- Recorded vectors and scores

class KernelVectorsGolden : public ::testing::TestWithParam<CaseGroup> {
 protected:
  // A channel is off by 4 u of its pair's length (cos, sin, product, sum), a vector by 6 u of its own.
  static void check_vector(const CaseLine& line, DType dtype) {
    const Vector x = line.list("x"), want = numbers(line.want[0].second);
    const Vector got = turned(vector_map(line), dtype, x, line.number("p", 0));
    ASSERT_EQ(got.size(), want.size());
    const double tolerance = 4 * unit_roundoff(dtype) * length(x) + 1e-9 * (line.id == "F7");  // of nine decimals
    EXPECT_LE(gap(got, want), tolerance) << line.text << " " << to_string(dtype);
  }
  static void check_score(const CaseLine& line, DType dtype) {
    const Vector q = line.list("q"), k = line.list("k");
    const double got = reference::dot(turned(vector_map(line), dtype, q, line.number("m", 0)),
                                      turned(vector_map(line), dtype, k, line.number("n", 0)));
    EXPECT_NEAR(got, std::stod(line.want[0].second), 12 * unit_roundoff(dtype) * length(q) * length(k))
        << line.text << " " << to_string(dtype);
  }
};

TEST_P(KernelVectorsGolden, AreMet) {
  for (const CaseLine& line : GetParam().lines)
    for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
      if (line.kind == "score")
        check_score(line, dtype);
      else
        check_vector(line, dtype);
    }
}

INSTANTIATE_TEST_SUITE_P(Reports, KernelVectorsGolden, ::testing::ValuesIn(read_cases("core/vectors.txt")), group_name);

// --- Recorded values of cos and sin: what becomes of (1, 0) and (1, 1)

struct ValueCase {
  std::string id, function;
  double base = 0, position = 0, want = 0, tolerance = 0;
  int dim = 0, pair = 0;
  friend void PrintTo(const ValueCase& c, std::ostream* out) { *out << c.id; }
};

std::vector<ValueCase> read_values() {
  std::vector<ValueCase> out;
  std::ifstream file = open_golden("exact/cases.tsv");
  for (ValueCase c; file >> c.id >> c.base >> c.dim >> c.pair >> c.position >> c.function >> c.want >> c.tolerance;)
    out.push_back(c);
  return out;
}

class KernelValuesGolden : public ::testing::TestWithParam<ValueCase> {};

TEST_P(KernelValuesGolden, ComeOutOfTheKernels) {
  const ValueCase& c = GetParam();
  const RotationMap map = map_of(c.dim, c.base);
  const auto a = static_cast<std::size_t>(map.pairs[static_cast<std::size_t>(c.pair)].a),
             b = static_cast<std::size_t>(map.pairs[static_cast<std::size_t>(c.pair)].b);
  Vector x(static_cast<std::size_t>(c.dim));
  x[a] = 1;
  x[b] = c.function.size() > 3 ? 1 : 0;  // cos-sin, cos+sin
  for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Vector out = turned(map, dtype, x, c.position);
    const double half_a_digit = 1e-16 * std::fabs(c.want);
    EXPECT_NEAR(out[c.function == "cos" || c.function == "cos-sin" ? a : b], c.want,
                dtype == DType::kFloat32 ? c.tolerance : 8 * 0x1p-53 + half_a_digit)  // 4 u of at most 1.42
        << to_string(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Reports, KernelValuesGolden, ::testing::ValuesIn(read_values()), [](const auto& info) {
  std::string id = info.param.id;
  std::replace(id.begin(), id.end(), '-', '_');
  return id + "_Line" + std::to_string(info.index);
});

// --- UP-02: rows of a checkpoint that are re-ordered for the other pairing

/// Half layout to interleaved, as a map without pairs.
RotationMap to_interleaved(int head_dim) {
  RotationMap map;
  map.channels = head_dim;
  const auto width = static_cast<std::size_t>(head_dim);
  for (std::size_t c = 0; c < width; ++c)
    map.pass_to.push_back(static_cast<int>(reference::interleaved_channel(c, 0, width)));
  return map;
}

class ReorderedRows : public ::testing::TestWithParam<int> {};

TEST_P(ReorderedRows, TurnInTheOtherPairingAsTheyDidInTheirOwn) {
  RopeSpec spec = spec_of(GetParam(), 10000);
  const RotationMap half = make_rotation_map(spec), order = to_interleaved(GetParam());
  spec.pairing = spec.output_pairing = Pairing::kInterleaved;
  const RotationMap interleaved = make_rotation_map(spec);
  EXPECT_EQ(compose(compose(order, interleaved), inverse(order)), half);
  EXPECT_EQ(compose(order, inverse(order)).pass_to, compose(inverse(order), order).pass_to);
  for (std::int64_t heads : {1, 2, 8}) {
    const Heads keys = random_heads(DType::kFloat32, {2, 3, heads, GetParam()});
    const Heads ordered = rotated(Rotary(order), keys, PositionRange{0});
    const Heads turned = rotated(Rotary(interleaved), ordered, PositionRange{2049});
    EXPECT_EQ(rotated(Rotary(inverse(order)), turned, PositionRange{0}).memory,
              rotated(Rotary(half), keys, PositionRange{2049}).memory);
  }
}

INSTANTIATE_TEST_SUITE_P(UP_02, ReorderedRows, ::testing::Values(2, 4, 20, 64, 80, 96, 128, 192, 256),
                         [](const auto& info) { return "HeadDim" + std::to_string(info.param); });

// Eight rows of two key heads; cut by the number of query heads, four, they would stay where they are.
class ReorderedKeys : public ::testing::TestWithParam<DType> {};

TEST_P(ReorderedKeys, AreCutByTheNumberOfKeyHeads) {
  Heads rows = zero_heads(GetParam(), {1, 1, 2, 4}), cut = zero_heads(GetParam(), {1, 1, 4, 2});
  for (std::size_t i = 0; i < 8; ++i)
    for (Heads* heads : {&rows, &cut}) heads->memory.set(i, static_cast<double>(i));
  const Heads out = rotated(Rotary(to_interleaved(4)), rows, PositionRange{0});
  EXPECT_EQ(out.head(0, 0, 0), (Vector{0, 2, 1, 3}));
  EXPECT_EQ(out.head(0, 0, 1), (Vector{4, 6, 5, 7}));
  EXPECT_EQ(rotated(Rotary(to_interleaved(2)), cut, PositionRange{0}).memory, cut.memory);
}

std::string label(const ::testing::TestParamInfo<DType>& info) { return dtype_label(info.param); }
INSTANTIATE_TEST_SUITE_P(UP_02, ReorderedKeys, ::testing::ValuesIn(kDTypes), label);

// --- UP-14: a table that a call of another dtype narrows for good

class TableOfARotation : public ::testing::TestWithParam<DType> {};

TEST_P(TableOfARotation, IsNotNarrowedByCallsOfOtherDtypes) {
  const Rotary rotary(spec_of(128, 10000), 4096);
  const Heads x = random_heads(GetParam(), {2, 3, 2, 128});
  const Heads before = rotated(rotary, x, PositionRange{4090});
  for (DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64}) {
    rotated(rotary, random_heads(dtype, x.shape), PositionRange{4090});
    EXPECT_EQ(rotated(rotary, x, PositionRange{4090}).memory, before.memory) << to_string(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(UP_14, TableOfARotation, ::testing::ValuesIn(kDTypes), label);

// --- UP-49: more rows than 16 bits count, more elements than 32 bits count

class ManyRows : public ::testing::TestWithParam<DType> {};

TEST_P(ManyRows, BeyondSixteenBitsAreTheRowsOfTheirPositions) {
  const Rotary rotary(spec_of(8, 10000));
  const Heads x = constant_heads(GetParam(), {1, 65537, 1, 8}, 1);
  ApplyOptions threads;
  threads.num_threads = 4;
  const Heads out = rotated(rotary, x, PositionRange{0}, threads);
  for (std::int64_t row : {0, 1, 32768, 65535, 65536})
    EXPECT_EQ(out.head(0, row, 0), rotated(rotary, tokens_of(x, row, row + 1), PositionRange{row}).head(0, 0, 0))
        << row;
}

INSTANTIATE_TEST_SUITE_P(UP_49, ManyRows, ::testing::ValuesIn(kDTypes), label);

/// Address space, zero until it is written.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  std::byte* data() const { return data_ == MAP_FAILED ? nullptr : static_cast<std::byte*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

class ManyElements : public ::testing::TestWithParam<DType> {};

TEST_P(ManyElements, BeyondThirtyTwoBitsAreThoseOfTheirOwnSequence) {
  constexpr std::int64_t kStride = std::int64_t{1} << 30;
  const std::size_t bytes = size_of(GetParam()) * kStride;
  const SparseMemory cache(4 * bytes + 64);
  if (cache.data() == nullptr) GTEST_SKIP() << "no address space";
  const Heads x = random_heads(GetParam(), {5, 1, 1, 8});
  const auto size = 8 * size_of(GetParam());
  const auto* from = static_cast<const std::byte*>(x.memory.data());
  for (std::size_t b = 0; b < 5; ++b) std::memcpy(cache.data() + b * bytes, from + b * size, size);
  const Rotary rotary(spec_of(8, 10000));
  apply_rotary_inplace(rotary, {cache.data(), GetParam(), {5, 1, 1, 8}, {kStride, 8, 8, 1}}, PositionRange{1});
  const Heads want = rotated(rotary, x, PositionRange{1});
  const auto* expected = static_cast<const std::byte*>(want.memory.data());
  for (std::size_t b = 0; b < 5; ++b)
    EXPECT_EQ(std::memcmp(cache.data() + b * bytes, expected + b * size, size), 0) << "sequence " << b;
}

INSTANTIATE_TEST_SUITE_P(UP_49, ManyElements, ::testing::ValuesIn(kDTypes), label);

}  // namespace
}  // namespace rotary::testing
