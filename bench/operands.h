// The memory, positions and rotation of a case, and its call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/c_call.h"
#include "bench/case.h"
#include "bench/limit_loops.h"
#include "rotary/apply.h"

namespace rotary::bench {

/// Page-aligned memory filled with multiples of 1/128 in [-1, 1), which every dtype holds exactly.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::int64_t elements, DType dtype);
  std::byte* data() const { return memory_.get(); }

  /// What element `index` was filled with.
  static double initial(std::int64_t index);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
};

class Operands {
 public:
  explicit Operands(const Case& c);

  void run();

  const RotationMap& map() const { return rotary_.map(); }
  const TensorView& x() const { return x_; }
  const TensorView& out() const { return out_; }
  std::vector<double> position(std::int64_t sequence, std::int64_t token) const;  ///< one number per axis

  /// The cache lines that must be read and written; those that a partial rotation in place leaves alone are not.
  LineRows lines() const;

 private:
  LineRows turned_lines() const;
  LineRows all_lines() const;
  Positions positions() const;

  Case case_;
  Rotary rotary_;
  Buffer x_buffer_, out_buffer_;
  TensorView x_, out_;
  std::vector<std::int64_t> offsets_, ids_;  // [batch]; [axes][token]
  std::unique_ptr<CCall> c_;
};

}  // namespace rotary::bench
