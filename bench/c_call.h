// The same rotation through the C interface.
#pragma once

#include <cstdint>
#include <memory>

#include "rotary/rotary_c.h"
#include "rotary/spec.h"
#include "rotary/tensor.h"

namespace rotary::bench {

class CCall {
 public:
  /// x and out the same: in place. Positions first, first + 1, ...
  CCall(const RopeSpec& spec, std::int64_t table_rows, const TensorView& x, const TensorView& out, std::int64_t first,
        int threads);

  void run() const;

 private:
  struct Release {
    void operator()(rotary_rotation* r) const { rotary_rotation_release(r); }
  };
  std::unique_ptr<rotary_rotation, Release> rotation_;
  rotary_tensor x_, out_;
  rotary_positions positions_{};
  rotary_options options_{};
};

}  // namespace rotary::bench
