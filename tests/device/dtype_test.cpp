// SPDX-License-Identifier: MIT
#include "device/dtype.h"

#include <gtest/gtest.h>

namespace kbv {
namespace {

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
  }
}

TEST(DType, UnsupportedNamesAreNothing) {
  for (const char* name : {"", "float", "Float32", "float32 ", "boolean", "uint16", "torch.float32"})
    EXPECT_FALSE(dtype_from_name(name)) << name;
}

TEST(DType, SizesAreThoseOfPyTorch) {
  EXPECT_EQ(dtype_bytes(DType::float64), 8u);
  EXPECT_EQ(dtype_bytes(DType::float32), 4u);
  EXPECT_EQ(dtype_bytes(DType::float16), 2u);
  EXPECT_EQ(dtype_bytes(DType::bfloat16), 2u);
  EXPECT_EQ(dtype_bytes(DType::complex64), 8u);
  EXPECT_EQ(dtype_bytes(DType::complex128), 16u);
  EXPECT_EQ(dtype_bytes(DType::int64), 8u);
  EXPECT_EQ(dtype_bytes(DType::int32), 4u);
  EXPECT_EQ(dtype_bytes(DType::int16), 2u);
  EXPECT_EQ(dtype_bytes(DType::int8), 1u);
  EXPECT_EQ(dtype_bytes(DType::uint8), 1u);
  EXPECT_EQ(dtype_bytes(DType::boolean), 1u);
}

TEST(DType, ComplexCountsAsFloating) {
  EXPECT_TRUE(is_floating(DType::complex64));
  EXPECT_TRUE(is_floating(DType::bfloat16));
  EXPECT_FALSE(is_floating(DType::int64));
  EXPECT_FALSE(is_floating(DType::boolean));
}

}  // namespace
}  // namespace kbv
