// SPDX-License-Identifier: MIT
// The host backend: the same protocol without a GPU. Shared buffers are memfds, so that a worker maps the same pages.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/file.h"
#include "device/compare.h"
#include "device/device.h"
#include "device/exact.h"
#include "device/host_threads.h"
#include "device/reorder_core.h"

namespace kbv {
namespace {

// Large enough that a thread's start does not matter, small enough that two cores share a few megabytes.
constexpr std::uint64_t k_chunk_bytes = 4u << 20;
constexpr std::uint64_t k_chunk_elements = 1u << 19;

unsigned char* bytes_of(const Buffer& buffer) {
  return reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(buffer.address()));  // NOLINT(*-no-int-to-ptr)
}

std::uint64_t round_to_pages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::max(page, (bytes + page - 1) / page * page);
}

/// "32768K" or "1M" as sysfs writes it.
std::uint64_t parse_size(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (*end == 'K') return number << 10;
  if (*end == 'M') return number << 20;
  return number;
}

std::uint64_t last_level_cache_bytes() {
  std::uint64_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    if (read_small(folder + "type").rfind("Instruction", 0) == 0) continue;
    largest = std::max(largest, parse_size(read_small(folder + "size")));
  }
  return largest;
}

/// The value of the first line "key : value"; empty where there is none.
std::string field_of(const std::string& text, const std::string& key) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (line.rfind(key, 0) == 0 && colon != std::string::npos) {
      const std::size_t start = line.find_first_not_of(" \t", colon + 1);
      return start == std::string::npos ? std::string() : line.substr(start);
    }
    at = end + 1;
  }
  return {};
}

std::uint64_t memory_available() {
  return std::strtoull(field_of(read_small("/proc/meminfo"), "MemAvailable").c_str(), nullptr, 10) << 10;
}

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* memory, std::uint64_t bytes, std::uint64_t mapped, Fd fd)
      : memory_(memory), bytes_(bytes), mapped_(mapped), fd_(std::move(fd)) {}
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() override {
    // A worker may still have it mapped, and what is in it may be secret: takes the pages away from everyone.
    if (fd_) (void)::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(mapped_));
    ::munmap(memory_, mapped_);
  }

  std::uint64_t address() const override { return reinterpret_cast<std::uintptr_t>(memory_); }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint64_t mapped_bytes() const override { return mapped_; }
  int export_fd() const override { return fd_.get(); }

 private:
  void* memory_;
  std::uint64_t bytes_;
  std::uint64_t mapped_;
  Fd fd_;
};

template <typename Element>
std::vector<compare_core::Partial> compare_chunks(const Buffer& expected, const Buffer& got, std::uint64_t count) {
  using Stored = typename Element::Stored;
  const auto* e = reinterpret_cast<const Stored*>(bytes_of(expected));
  const auto* g = reinterpret_cast<const Stored*>(bytes_of(got));
  std::vector<compare_core::Partial> partials(count / k_chunk_elements + 1, compare_core::empty_partial());
  for_each_chunk(count, k_chunk_elements, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
    compare_core::Accumulator<Element> accumulator;
    for (std::uint64_t i = begin; i < end; ++i) accumulator.add(e[i], g[i], i);
    partials[chunk] = accumulator.partial;
  });
  return partials;
}

class HostDevice final : public Device {
 public:
  HostDevice() {
    info_.backend = "host";
    info_.name = field_of(read_small("/proc/cpuinfo"), "model name");
    if (info_.name.empty()) info_.name = "CPU";  // Arm's cpuinfo has no such line
    info_.total_bytes =
        static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    info_.l2_bytes = last_level_cache_bytes();
  }

  const DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<Buffer>> allocate_shared(std::uint64_t bytes) override {
    KBV_TRY(check_available(bytes));
    const std::uint64_t mapped = round_to_pages(bytes);
    Fd fd(::memfd_create("kbv", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return fail_errno("memfd_create");
    if (::ftruncate(fd.get(), static_cast<off_t>(mapped)) != 0) return fail_errno("ftruncate");
    // Takes the pages now: later, a lack of memory would be a SIGBUS in the judge.
    int reserved = 0;
    do {
      reserved = ::fallocate(fd.get(), 0, 0, static_cast<off_t>(mapped));
    } while (reserved != 0 && errno == EINTR);
    if (reserved != 0) return out_of_memory(bytes);
    // A worker gets this very file. Unsealed, it could truncate it under the judge's hands, which is a SIGBUS too.
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
      return fail_errno("F_ADD_SEALS");
    return map(MAP_SHARED, bytes, mapped, std::move(fd));
  }

  Result<std::unique_ptr<Buffer>> allocate_private(std::uint64_t bytes) override {
    KBV_TRY(check_available(bytes));
    return map(MAP_PRIVATE | MAP_ANONYMOUS, bytes, round_to_pages(bytes), Fd());
  }

  Result<void> copy(Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    KBV_TRY(check_range(to, 0, bytes, "copy to"));
    KBV_TRY(check_range(from, 0, bytes, "copy from"));
    copy_bytes(bytes_of(to), bytes_of(from), bytes);
    return {};
  }

  Result<void> fill(Buffer& buffer, unsigned char byte) override {
    set_bytes(bytes_of(buffer), byte, buffer.mapped_bytes());
    return {};
  }

  Result<void> reorder(Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan) override {
    KBV_TRY(check_reorder(to, from, element_bytes, plan));
    switch (element_bytes) {
      case 1:
        reorder_elements<std::uint8_t>(to, from, plan);
        break;
      case 2:
        reorder_elements<std::uint16_t>(to, from, plan);
        break;
      case 4:
        reorder_elements<std::uint32_t>(to, from, plan);
        break;
      case 8:
        reorder_elements<std::uint64_t>(to, from, plan);
        break;
      default:
        reorder_elements<reorder_core::Bits128>(to, from, plan);
    }
    return {};
  }

  Result<void> evict_cache() override {
    if (eviction_.empty())
      eviction_.resize(std::clamp(2 * info_.l2_bytes, std::uint64_t{64} << 20, std::uint64_t{256} << 20));
    set_bytes(eviction_.data(), ++eviction_byte_, eviction_.size());
    return {};
  }

  Result<void> sync() override { return {}; }

  Result<void> read(void* to, const Buffer& from, std::uint64_t offset, std::uint64_t bytes) override {
    KBV_TRY(check_range(from, offset, bytes, "read"));
    copy_bytes(static_cast<unsigned char*>(to), bytes_of(from) + offset, bytes);
    return {};
  }

  Result<void> write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    KBV_TRY(check_range(to, offset, bytes, "write"));
    copy_bytes(bytes_of(to) + offset, static_cast<const unsigned char*>(from), bytes);
    return {};
  }

  Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count) override {
    KBV_TRY(check_elements(dtype, expected, got, count));
    const RealElements elements = real_elements(dtype, count);
    const auto partials = with_element(
        elements.dtype, [&](auto type) { return compare_chunks<decltype(type)>(expected, got, elements.count); });
    return finish_compare(
        elements, partials.data(), partials.size(), [&](bool of_got, std::uint64_t index) -> Result<double> {
          return element_value(elements.dtype, bytes_of(of_got ? got : expected) + index * elements.bytes);
        });
  }

  Result<ExactStats> compare_exact(DType got, const Buffer& exact, const Buffer& rho, const Buffer& got_buffer,
                                   std::uint64_t count, std::uint64_t slice_elements) override {
    KBV_TRY(check_exact(got, exact, rho, got_buffer, count, slice_elements));
    return compare_exact_on_host(got, exact, rho, got_buffer, count, slice_elements);
  }

  Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes) override {
    KBV_TRY(check_range(a, 0, bytes, "bytes_equal"));
    KBV_TRY(check_range(b, 0, bytes, "bytes_equal"));
    std::atomic<bool> equal{true};
    for_each_chunk(bytes, k_chunk_bytes, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      if (equal && std::memcmp(bytes_of(a) + begin, bytes_of(b) + begin, end - begin) != 0) equal = false;
    });
    return equal.load();
  }

  Result<std::uint64_t> memory_used_bytes() override { return 0; }

 private:
  static tl::unexpected<Error> out_of_memory(std::uint64_t bytes) {
    return fail(Fault::machine, "device_memory",
                "cannot allocate " + std::to_string(bytes >> 20) +
                    " MiB of host memory: " + std::to_string(memory_available() >> 20) + " MiB available");
  }

  // Linux would let a process take more than there is, and then kill it.
  static Result<void> check_available(std::uint64_t bytes) {
    const std::uint64_t available = memory_available();
    if (available != 0 && bytes > available) return out_of_memory(bytes);
    return {};
  }

  static Result<std::unique_ptr<Buffer>> map(int flags, std::uint64_t bytes, std::uint64_t mapped, Fd fd) {
    void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, flags, fd.get(), 0);
    if (memory == MAP_FAILED) {
      if (errno == ENOMEM) return out_of_memory(bytes);
      return fail_errno("mmap");
    }
    return std::make_unique<HostBuffer>(memory, bytes, mapped, std::move(fd));
  }

  static void copy_bytes(unsigned char* to, const unsigned char* from, std::uint64_t bytes) {
    if (to == from) return;
    for_each_chunk(bytes, k_chunk_bytes, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      std::memcpy(to + begin, from + begin, end - begin);
    });
  }

  template <typename Bits>
  static void reorder_elements(Buffer& to, const Buffer& from, const Reorder& plan) {
    auto* out = reinterpret_cast<Bits*>(bytes_of(to));
    const auto* in = reinterpret_cast<const Bits*>(bytes_of(from));
    for_each_chunk(reordered_elements(plan), k_chunk_bytes / sizeof(Bits), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) out[i] = in[reorder_core::source_of(plan, i)];
    });
  }

  static void set_bytes(unsigned char* to, unsigned char byte, std::uint64_t bytes) {
    for_each_chunk(bytes, k_chunk_bytes, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      std::memset(to + begin, byte, end - begin);
    });
  }

  DeviceInfo info_;
  std::vector<unsigned char> eviction_;
  unsigned char eviction_byte_ = 0;
};

}  // namespace

Result<std::unique_ptr<Device>> open_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace kbv
