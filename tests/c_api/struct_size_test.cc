// Programs compiled with an older header, or a newer one.
#include <cstddef>
#include <cstring>

#include "c_api/flat_spec.h"
#include "core/table_cases.h"

namespace rotary::testing {
namespace {

// A struct of a later header: more fields at the end.
template <class T>
struct Later {
  T known{};
  std::int64_t more[2] = {};
};

class CStructSize : public ::testing::Test {
 protected:
  CStructSize() {
    tensor.struct_size = sizeof tensor;
    tensor.data = x;
    tensor.dtype = ROTARY_FLOAT32;
    tensor.rank = 1;
    tensor.shape[0] = 4;
    tensor.strides[0] = 1;
    positions.struct_size = sizeof positions;
    positions.kind = ROTARY_POSITIONS_RANGE;
    positions.first = 3;
  }

  rotary_status apply(const rotary_options* options = nullptr) {
    return rotary_apply(handle.get(), &tensor, nullptr, &positions, options);
  }
  static bool says(const char* text) { return std::strstr(rotary_last_error(), text) != nullptr; }

  float x[4] = {1, 2, 3, 4};
  const Handle handle = handle_of(spec_of(4, 10000));
  rotary_tensor tensor{};
  rotary_positions positions{};
};

TEST_F(CStructSize, ZeroTooSmallAndAbsurdAreErrors) {
  for (std::size_t size :
       {std::size_t{0}, sizeof(std::size_t), offsetof(rotary_tensor, strides), std::size_t{5000}, ~std::size_t{0}}) {
    tensor.struct_size = size;
    EXPECT_EQ(apply(), ROTARY_INVALID_ARGUMENT) << size;
    EXPECT_TRUE(says("in.struct_size")) << rotary_last_error();
  }
  EXPECT_EQ(x[0], 1);
}

TEST_F(CStructSize, OlderIsEnoughWhereItHoldsWhatTheKindNeeds) {
  positions.struct_size = offsetof(rotary_positions, offsets);
  positions.num_cu_seqlens = -1;  // beyond the older struct: not looked at
  EXPECT_EQ(apply(), ROTARY_OK) << rotary_last_error();
  positions.kind = ROTARY_POSITIONS_IDS;
  EXPECT_EQ(apply(), ROTARY_INVALID_ARGUMENT);
  EXPECT_TRUE(says("positions.struct_size"));
}

TEST_F(CStructSize, OlderOptionsHaveTheDefaultsOfWhatTheyLack) {
  rotary_options options{sizeof(std::size_t), -1, nullptr, -1};
  EXPECT_EQ(apply(&options), ROTARY_OK) << rotary_last_error();
  options.struct_size = sizeof options;
  EXPECT_EQ(apply(&options), ROTARY_INVALID_ARGUMENT);
}

TEST_F(CStructSize, LaterIsFineWhereTheUnknownIsZero) {
  Later<rotary_options> options;
  options.known.struct_size = sizeof options;
  EXPECT_EQ(apply(&options.known), ROTARY_OK) << rotary_last_error();
  options.more[1] = 1;
  EXPECT_EQ(apply(&options.known), ROTARY_INVALID_ARGUMENT);
  EXPECT_TRUE(says("options must be zero in what this version of the library does not know"));
}

TEST_F(CStructSize, AnOlderSpecHasTheDefaultsOfItsMethod) {
  rotary_spec spec;
  const std::size_t older = offsetof(rotary_spec, factor);
  ASSERT_EQ(rotary_spec_init(&spec, older, ROTARY_SCALING_LLAMA3), ROTARY_OK);
  EXPECT_EQ(spec.struct_size, older);
  spec.head_dim = spec.rotary_dim = 64;
  spec.pairing = ROTARY_PAIRING_HALF;
  rotary_rotation* made = nullptr;
  ASSERT_EQ(rotary_rotation_from_spec(&spec, nullptr, &made), ROTARY_OK) << rotary_last_error();
  EXPECT_EQ(map_of_handle(Handle(made).get()), map_of(64, 10000, Llama3Scaling{}));
}

TEST_F(CStructSize, OutStructsAreWrittenAsFarAsTheyGo) {
  rotary_rotation_info older{};
  older.struct_size = offsetof(rotary_rotation_info, channels);
  older.channels = -1;
  ASSERT_EQ(rotary_rotation_get_info(handle.get(), &older), ROTARY_OK);
  EXPECT_NE(older.fingerprint, 0);
  EXPECT_EQ(older.channels, -1);
  Later<rotary_rotation_info> later;
  later.known.struct_size = sizeof later;
  later.more[1] = 5;
  ASSERT_EQ(rotary_rotation_get_info(handle.get(), &later.known), ROTARY_OK);
  EXPECT_EQ(later.known.channels, 4);
  EXPECT_EQ(later.known.struct_size, sizeof later);
  EXPECT_EQ(later.more[1], 0);
}

}  // namespace
}  // namespace rotary::testing
