// SPDX-License-Identifier: MIT
// compare_exact() against the reference implementation of it, over random and hostile data of every type and slices of
// every size; and one backend against the other.
#include <cmath>
#include <random>

#include "backends.h"
#include "exact_reference.h"

namespace kbv::test {
namespace {

using Bytes = std::vector<unsigned char>;

struct Case {
  std::vector<double> exact;  ///< of real elements
  std::vector<double> rho;
  Bytes got;
  std::uint64_t slice_elements = 1;
};

const std::vector<DType> k_all = {DType::float64,   DType::float32,    DType::float16, DType::bfloat16,
                                  DType::complex64, DType::complex128, DType::int64,   DType::int32,
                                  DType::int16,     DType::int8,       DType::uint8,   DType::boolean};

DType real_of(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

std::uint64_t reals_of(DType dtype) { return dtype_bytes(dtype) / dtype_bytes(real_of(dtype)); }

double double_of(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

enum class Kind {
  hostile,  ///< every bit pattern on both sides, free elements, any rho
  finite,   ///< every finite bit pattern: without a nonfinite element, the worst index says something of e_max
  honest,   ///< small errors
};

/// `got` of random bytes, and an oracle near what they mean; both less so in the hostile kind.
Case make_case(Kind kind, DType dtype, std::uint64_t count, std::uint64_t slice_elements, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const DType real = real_of(dtype);
  const std::uint64_t size = dtype_bytes(real);
  Case c;
  c.exact.resize(count * reals_of(dtype));
  c.got.resize(count * dtype_bytes(dtype));
  c.slice_elements = slice_elements;
  for (unsigned char& byte : c.got) byte = static_cast<unsigned char>(engine() >> 13);
  if (kind != Kind::hostile && is_floating(real))  // a zero in the exponent, the sign's neighbour: finite, below 2
    for (std::size_t i = size - 1; i < c.got.size(); i += size) c.got[i] &= 0xBF;
  for (std::size_t i = 0; i < c.exact.size(); ++i) {
    const double got = reference_value(real, c.got.data() + i * size);
    const std::uint64_t dice = engine() % 16;
    c.exact[i] = dice < 4 ? got : got * (1 + 1e-6 * normal(engine));
    if (kind == Kind::honest) continue;
    if (dice == 5) c.exact[i] = static_cast<double>(engine() % 5) - 2;
    if (dice == 6) c.exact[i] = double_of(engine() & 0xBFFFFFFFFFFFFFFFull);
    if (kind == Kind::finite) continue;
    if (dice == 7) c.exact[i] = double_of(engine());
    if (dice == 8) c.exact[i] = double_of(k_free_bits);
    if (dice == 9) c.exact[i] = double_of(k_free_bits ^ (std::uint64_t{1} << (engine() % 64)));
    if (dice == 10) c.exact[i] = double_of(0x7FEull << 52 | engine() >> 12);  // the largest
    if (dice == 11) c.exact[i] = double_of((engine() & 1) << 63 | 0x7FFull << 52);
  }
  c.rho.resize((c.exact.size() + slice_elements - 1) / slice_elements);
  for (double& rho : c.rho) {
    rho = std::exp(normal(engine));
    if (kind == Kind::hostile && engine() % 8 == 0) rho = double_of(std::max<std::uint64_t>(1, engine() >> 1));
    if (!std::isfinite(rho)) rho = std::numeric_limits<double>::max();
  }
  return c;
}

struct Uploaded {
  std::unique_ptr<Buffer> exact, rho, got;
};

Uploaded upload(Device& device, const Case& c) {
  const auto put = [&](const void* data, std::uint64_t bytes) {
    auto buffer = device.allocate_private(bytes).value();
    EXPECT_TRUE(device.write(*buffer, 0, data, bytes));
    return buffer;
  };
  return {put(c.exact.data(), c.exact.size() * sizeof(double)), put(c.rho.data(), c.rho.size() * sizeof(double)),
          put(c.got.data(), c.got.size())};
}

Result<ExactStats> run(Device& device, DType dtype, const Case& c, const Uploaded& buffers) {
  return device.compare_exact(dtype, *buffers.exact, *buffers.rho, *buffers.got, c.got.size() / dtype_bytes(dtype),
                              c.slice_elements);
}

ExactStats run(Device& device, DType dtype, const Case& c) {
  const auto stats = run(device, dtype, c, upload(device, c));
  EXPECT_TRUE(stats) << stats.error().message;
  return stats ? *stats : ExactStats{};
}

class ExactAgreementTest : public BackendTest {
 protected:
  void expect_agrees(DType dtype, Kind kind, std::uint64_t count, std::uint64_t slice_elements) {
    SCOPED_TRACE(std::string(dtype_name(dtype)) + " x " + std::to_string(count) + " in slices of " +
                 std::to_string(slice_elements) + ", kind " + std::to_string(static_cast<int>(kind)));
    const Case c = make_case(kind, dtype, count, slice_elements, static_cast<unsigned>(count + 7 * slice_elements));
    expect_as_reference(reference_exact(dtype, c.exact, c.rho, c.got.data(), slice_elements), run(device(), dtype, c));
  }
};
KBV_ON_EACH_BACKEND(ExactAgreementTest);

TEST_P(ExactAgreementTest, SmallAndOddSizes) {
  for (const DType dtype : k_all)
    for (const std::uint64_t count : {1u, 2u, 7u, 9u, 33u, 257u})
      for (const std::uint64_t slice : {1u, 3u, 8u, 33u, 600u}) expect_agrees(dtype, Kind::hostile, count, slice);
}

TEST_P(ExactAgreementTest, EveryTypeInSlicesOfSeveralSizes) {
  for (const DType dtype : k_all)
    for (const Kind kind : {Kind::hostile, Kind::finite, Kind::honest})
      for (const std::uint64_t slice : {37u, 1'000u, 9'000u}) expect_agrees(dtype, kind, 20'001, slice);
}

// Around the sizes where another number of threads shares a slice, or a slice is cut.
TEST_P(ExactAgreementTest, SlicesAroundTeamsAndParts) {
  for (const std::uint64_t around : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 2048u, 4096u, 8192u, 65536u})
    for (const std::uint64_t slice : {around - 1, around, around + 1})
      for (const Kind kind : {Kind::hostile, Kind::finite}) expect_agrees(DType::float32, kind, 70'003, slice);
}

TEST_P(ExactAgreementTest, FewLongSlices) {
  for (const std::uint64_t slice : {262'143u, 262'144u, 262'145u, 400'000u, 599'999u, 600'000u, 3'000'000u})
    expect_agrees(DType::float32, Kind::finite, 600'000, slice);
  expect_agrees(DType::float32, Kind::honest, 600'000, 600'000);
  expect_agrees(DType::float64, Kind::finite, 700'007, 300'001);
  expect_agrees(DType::int8, Kind::finite, 700'007, 300'001);
}

TEST_P(ExactAgreementTest, ManySlices) {
  expect_agrees(DType::float32, Kind::finite, 1'000'003, 1'000);
  expect_agrees(DType::bfloat16, Kind::finite, 600'003, 100);
  expect_agrees(DType::float32, Kind::finite, 200'003, 10);
  expect_agrees(DType::float32, Kind::honest, 50'003, 1);
}

// Each element is a new maximum, or ties with the one before: what is looked at twice must come in order.
TEST_P(ExactAgreementTest, ManyNewMaximaAndTies) {
  Case c;
  c.slice_elements = 70'000;
  c.rho = {1, 0.5, 2};
  c.exact.assign(200'000, 1);
  std::vector<float> got(200'000);
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = 1 + 0x1p-16f * static_cast<float>(i / 5);
  c.got.resize(4 * got.size());
  std::memcpy(c.got.data(), got.data(), c.got.size());
  expect_as_reference(reference_exact(DType::float32, c.exact, c.rho, c.got.data(), c.slice_elements),
                      run(device(), DType::float32, c));
}

// Quotients that differ in the last place or not at all, also where products and quotients are subnormal or huge: what
// spares the division must let each of them pass that could set e_max.
TEST_P(ExactAgreementTest, QuotientsThatAlmostTie) {
  std::mt19937_64 engine(21);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (const double size : {1e-320, 1e-310, 1e-300, 1e-3, 1.0, 1e300, 8e307}) {
    for (const double error : {5e-320, 1e-308, 1e-9, 1.0 / 3, 1.0, 1e10}) {
      Case c;
      c.slice_elements = 100;
      c.exact.resize(20'000);
      std::vector<double> got(c.exact.size());
      for (int i = 0; i < 200; ++i) c.rho.push_back(size * mantissa(engine));
      for (std::size_t i = 0; i < c.exact.size(); ++i) {
        // Small errors only beside an oracle of 0, where rounding does not spread them.
        c.exact[i] = error < 1e-6 ? 0 : size * mantissa(engine);
        got[i] = c.exact[i] + error * (c.exact[i] + c.rho[i / 100]);
      }
      c.got.resize(8 * got.size());
      std::memcpy(c.got.data(), got.data(), c.got.size());
      SCOPED_TRACE(std::to_string(std::log10(size)) + ", " + std::to_string(std::log10(error)));
      expect_as_reference(reference_exact(DType::float64, c.exact, c.rho, c.got.data(), c.slice_elements),
                          run(device(), DType::float64, c));
    }
  }
}

TEST_P(ExactAgreementTest, RepeatsBitForBit) {
  for (const std::uint64_t slice : {100u, 1'000u, 20'000u, 300'000u}) {
    const Case c = make_case(Kind::honest, DType::float32, 300'000, slice, 31);
    const Uploaded buffers = kbv::test::upload(device(), c);
    const auto first = run(device(), DType::float32, c, buffers);
    ASSERT_TRUE(first);
    EXPECT_GT(first->e_rms, 0);
    for (int i = 0; i < 3; ++i) {
      const auto again = run(device(), DType::float32, c, buffers);
      ASSERT_TRUE(again);
      expect_identical(*first, *again);
    }
  }
}

class CudaExactTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    cuda_ = shared_device("cuda", reason);
    if (cuda_ == nullptr) GTEST_SKIP() << reason;
    host_ = shared_device("host", reason);
  }

  Device* host_ = nullptr;
  Device* cuda_ = nullptr;
};

TEST_F(CudaExactTest, AgreesWithTheHostOnEveryType) {
  for (const DType dtype : k_all) {
    for (const Kind kind : {Kind::hostile, Kind::finite, Kind::honest}) {
      for (const std::uint64_t slice : {3u, 1'000u, 15'000u, 50'001u}) {
        const Case c = make_case(kind, dtype, 50'001, slice, static_cast<unsigned>(slice));
        SCOPED_TRACE(std::string(dtype_name(dtype)) + " in slices of " + std::to_string(slice));
        expect_exact_agreement(run(*host_, dtype, c), run(*cuda_, dtype, c));
      }
    }
  }
}

TEST_F(CudaExactTest, AgreesWithTheHostOnManyElements) {
  if (cuda_->info().name == "Fake GPU") GTEST_SKIP() << "takes long on the fake driver";
  const std::uint64_t count = 40'000'003;
  for (const std::uint64_t slice : {1u, 10u, 1'000u, 5'000u, 100'000u, 3'000'000u, 20'000'000u, 40'000'003u}) {
    SCOPED_TRACE(slice);
    for (const Kind kind : {Kind::finite, Kind::honest}) {
      const Case c = make_case(kind, DType::float32, count, slice, static_cast<unsigned>(slice));
      expect_exact_agreement(run(*host_, DType::float32, c), run(*cuda_, DType::float32, c));
    }
  }
}

TEST_F(CudaExactTest, MoreElementsThan32BitsCount) {
  const std::uint64_t count = (std::uint64_t{1} << 32) + 123'457;
  const auto used = cuda_->memory_used_bytes();
  if (!used || cuda_->info().total_bytes - *used < 10 * count) GTEST_SKIP() << "needs 43 GB of free device memory";
  auto exact = cuda_->allocate_private(8 * count);
  auto got = cuda_->allocate_private(count);
  auto rho = cuda_->allocate_private(8 * (count / 1000 + 1));
  ASSERT_TRUE(exact && got && rho);
  ASSERT_TRUE(cuda_->fill(**got, 0));
  ASSERT_TRUE(cuda_->fill(**rho, 0x3F));  // some number below 1
  double floor = 0;
  ASSERT_TRUE(cuda_->read(&floor, **rho, 0, sizeof floor));
  for (const std::uint64_t at : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 12'345, count - 1}) {
    const unsigned char other = 7;
    const unsigned char same = 0;
    ASSERT_TRUE(cuda_->write(**got, at, &other, 1));
    for (const std::uint64_t slice : {std::uint64_t{1000}, std::uint64_t{1} << 31, count}) {
      const auto stats = cuda_->compare_exact(DType::uint8, **exact, **rho, **got, count, slice);
      ASSERT_TRUE(stats) << stats.error().message;
      EXPECT_EQ(stats->count, count);
      EXPECT_EQ(stats->unequal, 1u);
      EXPECT_EQ(stats->worst_index, at);
      EXPECT_EQ(stats->worst_got, 7);
      EXPECT_EQ(stats->e_max, 7 / floor);
      EXPECT_EQ(stats->worst_slice, at / slice);
      EXPECT_EQ(stats->sum_sq_diff, 49);
      const std::uint64_t size = std::min(slice, count - at / slice * slice);
      EXPECT_EQ(stats->e_rms, std::sqrt(49 / static_cast<double>(size)) / floor);
    }
    ASSERT_TRUE(cuda_->write(**got, at, &same, 1));
  }
}

}  // namespace
}  // namespace kbv::test
