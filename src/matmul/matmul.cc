#include "matmul/matmul.h"

#include <omp.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/require.h"

namespace rotary {
namespace {

using dnnl::memory;

// What the primitive of a product depends on.
struct Product {
  std::int64_t m, n, k;
  std::int64_t a_stride, b_stride, c_stride;
  bool a_transposed, b_transposed, accumulate, has_bias, rounds;

  bool operator==(const Product&) const = default;
};

struct HashProduct {
  std::size_t operator()(const Product& p) const {
    const int flags = p.a_transposed | p.b_transposed << 1 | p.accumulate << 2 | p.has_bias << 3 | p.rounds << 4;
    std::size_t hash = 0;
    for (const std::int64_t part : {p.m, p.n, p.k, p.a_stride, p.b_stride, p.c_stride, std::int64_t{flags}})
      hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32;
  }
};

memory::desc describe(std::int64_t rows, std::int64_t columns, std::int64_t stride, bool transposed,
                      memory::data_type type = memory::data_type::f32) {
  return {{rows, columns}, type, transposed ? memory::dims{1, stride} : memory::dims{stride, 1}};
}

// Rounds a factor to bfloat16, packed, into room that the thread's products share.
class Rounding {
 public:
  Rounding(const dnnl::engine& engine, const memory::desc& from, const memory::desc& to)
      : from_(from, engine, nullptr), to_(to, engine, nullptr), reorder_(from_, to_) {}

  void* run(const dnnl::stream& stream, const float* data, std::vector<std::uint16_t>& room) {
    room.resize(std::max(room.size(), to_.get_desc().get_size() / sizeof(std::uint16_t)));
    from_.set_data_handle(const_cast<float*>(data));
    to_.set_data_handle(room.data());
    reorder_.execute(stream, from_, to_);
    return room.data();
  }

 private:
  memory from_, to_;
  dnnl::reorder reorder_;
};

struct Prepared {
  dnnl::matmul matmul;
  memory a, b, c, bias;
  std::vector<Rounding> roundings;  // of a and b, or none
};

dnnl::matmul make_primitive(const Product& p, const dnnl::engine& engine, const memory::desc& a, const memory::desc& b,
                            const memory::desc& bias, const memory::desc& c) {
  dnnl::primitive_attr attributes;
  if (p.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum();
    attributes.set_post_ops(sum);
  }
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::matmul({engine, a, b, bias, c, attributes});
#else
  return dnnl::matmul({{a, b, bias, c}, attributes, engine});
#endif
}

Prepared prepare(const Product& p, const dnnl::engine& engine) {
  constexpr auto kBfloat16 = memory::data_type::bf16;
  memory::desc a = describe(p.m, p.k, p.a_stride, p.a_transposed), b = describe(p.k, p.n, p.b_stride, p.b_transposed);
  const memory::desc c = describe(p.m, p.n, p.c_stride, false);
  const memory::desc bias = p.has_bias ? describe(1, p.n, p.n, false) : memory::desc();
  std::vector<Rounding> roundings;
  if (p.rounds) {
    const auto packed_a = describe(p.m, p.k, p.a_transposed ? p.m : p.k, p.a_transposed, kBfloat16);
    const auto packed_b = describe(p.k, p.n, p.b_transposed ? p.k : p.n, p.b_transposed, kBfloat16);
    roundings = {{engine, a, packed_a}, {engine, b, packed_b}};
    a = packed_a;
    b = packed_b;
  }
  return {make_primitive(p, engine, a, b, bias, c),
          {a, engine, nullptr},
          {b, engine, nullptr},
          {c, engine, nullptr},
          p.has_bias ? memory(bias, engine, nullptr) : memory(),
          std::move(roundings)};
}

// The products of one thread.
class Multiplier {
 public:
  void run(const Product& product, const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, const float* bias) {
    Prepared& p = prepared(product);
    const bool rounds = !p.roundings.empty();
    p.a.set_data_handle(rounds ? p.roundings[0].run(stream_, a.data, room_a_) : const_cast<float*>(a.data));
    p.b.set_data_handle(rounds ? p.roundings[1].run(stream_, b.data, room_b_) : const_cast<float*>(b.data));
    p.c.set_data_handle(c.data);
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, p.a}, {DNNL_ARG_WEIGHTS, p.b}, {DNNL_ARG_DST, p.c}};
    if (bias) {
      p.bias.set_data_handle(const_cast<float*>(bias));
      arguments[DNNL_ARG_BIAS] = p.bias;
    }
    p.matmul.execute(stream_, arguments);
    stream_.wait();
  }

 private:
  Prepared& prepared(const Product& product) {
    const auto found = prepared_.find(product);
    if (found != prepared_.end()) return found->second;
    if (prepared_.size() >= kMostPrepared) prepared_.clear();
    return prepared_.emplace(product, prepare(product, engine_)).first->second;
  }

  static constexpr std::size_t kMostPrepared = 4096;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::unordered_map<Product, Prepared, HashProduct> prepared_;
  std::vector<std::uint16_t> room_a_, room_b_;
};

// Keeps oneDNN on the calling thread while it lives.
class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

template <class Float>
std::string shape_of(const BasicMatrix<Float>& x) {
  return std::to_string(x.rows) + " x " + std::to_string(x.columns) + " (stride " + std::to_string(x.stride) + ")";
}

template <class Float>
bool is_sound(const BasicMatrix<Float>& x) {
  return x.rows >= 0 && x.columns >= 0 && x.stride >= (x.is_transposed ? x.rows : x.columns) &&
         (x.data || x.rows == 0 || x.columns == 0);
}

void validate_multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, const MultiplyOptions& options) {
  using detail::require;
  require(is_sound(a), "multiply", "a must have data and a stride not below its rows' length", shape_of(a));
  require(is_sound(b), "multiply", "b must have data and a stride not below its rows' length", shape_of(b));
  require(is_sound(c) && !c.is_transposed, "multiply", "c must have data and rows of unit stride", shape_of(c));
  require(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows, "multiply",
          "shapes must be [m, k] [k, n] = [m, n]", shape_of(a) + ", " + shape_of(b) + ", " + shape_of(c));
  require(!(options.accumulate && options.bias), "multiply", "bias must not come with accumulate", "both");
}

void fill_empty_sum(const Matrix& c, const MultiplyOptions& options) {
  if (options.accumulate) return;
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t n = 0; n < c.columns; ++n) c.data[r * c.stride + n] = options.bias ? options.bias[n] : 0;
}

}  // namespace

void multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, const MultiplyOptions& options) {
  validate_multiply(a, b, c, options);
  if (c.rows == 0 || c.columns == 0) return;
  if (a.columns == 0) return fill_empty_sum(c, options);
  thread_local Multiplier multiplier;
  const OneThread here;
  multiplier.run({c.rows, c.columns, a.columns, a.stride, b.stride, c.stride, a.is_transposed, b.is_transposed,
                  options.accumulate, options.bias != nullptr, options.precision == MatmulPrecision::kBfloat16},
                 a, b, c, options.bias);
}

bool has_bfloat16_hardware() {
  const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());  // a set of bits
  const auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (has & wanted) == wanted;
}

}  // namespace rotary
