// SPDX-License-Identifier: MIT
// Rates of a device's operations: device_bench [host|cuda] [MiB]. For people; not run by ctest.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/device.h"

namespace {

using namespace kbv;

void require(const Result<void>& result) {
  if (result) return;
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

template <typename T>
T require(Result<T> result) {
  if (!result) require(Result<void>(tl::make_unexpected(result.error())));
  return std::move(*result);
}

/// Median microseconds of `operation`, each followed by a sync, after one to warm up.
double median_us(Device& device, const std::function<void()>& operation, int repeats = 15) {
  std::vector<double> times;
  for (int i = -1; i < repeats; ++i) {
    require(device.sync());
    const auto start = Clock::now();
    operation();
    require(device.sync());
    if (i >= 0) times.push_back(microseconds_between(start, Clock::now()));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void print(const char* what, double us, double bytes) {
  if (bytes > 0)
    std::printf("%-44s %12.1f us %10.1f GB/s\n", what, us, bytes / us / 1e3);
  else
    std::printf("%-44s %12.1f us\n", what, us);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string backend = argc > 1 ? argv[1] : "host";
  const std::uint64_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1024) << 20;
  const auto opening = Clock::now();
  auto device = require(backend == "cuda" ? open_cuda_device(0) : open_host_device());
  std::printf("%s, %llu MiB buffers\n", device->info().name.c_str(), static_cast<unsigned long long>(bytes >> 20));
  print("open", microseconds_between(opening, Clock::now()), 0);

  print("allocate_shared", median_us(*device, [&] { require(device->allocate_shared(bytes)); }, 5), 0);
  auto a = require(device->allocate_private(bytes));
  auto b = require(device->allocate_private(bytes));
  const auto size = static_cast<double>(bytes);

  const auto loading = Clock::now();
  require(device->bytes_equal(*a, *b, 16));
  print("first comparison (loads the PTX)", microseconds_between(loading, Clock::now()), 0);

  print("copy (read + write)", median_us(*device, [&] { require(device->copy(*a, *b, bytes)); }), 2 * size);
  print("fill", median_us(*device, [&] { require(device->fill(*a, 1)); }), size);
  require(device->fill(*b, 1));
  print("bytes_equal", median_us(*device, [&] { require(device->bytes_equal(*a, *b, bytes)); }), 2 * size);
  print("bytes_equal, 1 MiB", median_us(*device, [&] { require(device->bytes_equal(*a, *b, 1 << 20)); }), 0);
  for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name = "compare " + std::string(dtype_name(dtype));
    const auto run = [&] { require(device->compare(dtype, *a, *b, bytes / dtype_bytes(dtype))); };
    print(name.c_str(), median_us(*device, run, 5), 2 * size);
  }
  require(device->fill(*b, 2));
  const auto differ = [&] { require(device->compare(DType::float32, *a, *b, bytes / 4)); };
  print("compare float32, all differ", median_us(*device, differ, 5), 2 * size);
  print("compare float32, 1 MiB",
        median_us(*device, [&] { require(device->compare(DType::float32, *a, *b, 1 << 18)); }), 0);

  // The oracle fills its buffer, so that got has fewer elements than it could hold.
  auto rho = require(device->allocate_private(bytes / 8));
  require(device->fill(*rho, 0x3F));
  const auto exact = [&](const char* what, DType dtype, std::uint64_t slice_elements) {
    const std::uint64_t count = bytes / (dtype == DType::complex64 || dtype == DType::complex128 ? 16 : 8);
    const std::uint64_t slice = slice_elements == 0 ? count : slice_elements;
    const auto compare = [&] { require(device->compare_exact(dtype, *a, *rho, *b, count, slice)); };
    const std::string name = "compare_exact " + std::string(dtype_name(dtype)) + what;
    print(name.c_str(), median_us(*device, compare, 5), size + static_cast<double>(count * dtype_bytes(dtype)));
  };
  require(device->fill(*a, 0));
  require(device->fill(*b, 0));
  const auto loading_exact = Clock::now();
  require(device->compare_exact(DType::float32, *a, *rho, *b, 1, 1));
  print("first compare_exact (loads the PTX)", microseconds_between(loading_exact, Clock::now()), 0);
  for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) exact(", 1 slice", static_cast<DType>(i), 0);
  exact(", slices of 10", DType::float32, 10);
  exact(", of 100", DType::float32, 100);
  exact(", of 1000", DType::float32, 1000);
  exact(", of 100000", DType::float32, 100'000);
  exact(", 16 slices", DType::float32, std::max<std::uint64_t>(1, bytes / 8 / 16));
  require(device->fill(*b, 2));
  exact(", all tie for the worst", DType::float32, 0);

  std::vector<unsigned char> host(std::min<std::uint64_t>(bytes, 256u << 20));
  const auto host_size = static_cast<double>(host.size());
  print("read", median_us(*device, [&] { require(device->read(host.data(), *a, 0, host.size())); }, 5), host_size);
  print("write", median_us(*device, [&] { require(device->write(*a, 0, host.data(), host.size())); }, 5), host_size);
  print("evict_cache", median_us(*device, [&] { require(device->evict_cache()); }), 0);
  print("sync", median_us(*device, [] {}), 0);
  print("memory_used_bytes", median_us(*device, [&] { require(device->memory_used_bytes()); }, 1001), 0);
  return 0;
}
