# SPDX-License-Identifier: MIT
"""Leaves known garbage where the next call may look without having written: in freed memory, and in the GPU's shared memory.

A kernel that is right does not see it. It runs in the candidate's process, for only there is that memory; who keeps it from
happening has gained nothing but the chance to be found out by other garbage.
"""
import ctypes

import torch

# Every block writes all the shared memory that it can have.
PTX = b"""
.version 6.4
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 pool[];
.visible .entry kbv_poison(.param .u32 bytes, .param .u32 word)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  ld.param.u32 %r1, [bytes];
  ld.param.u32 %r2, [word];
  mov.u32 %r3, %tid.x;
  shl.b32 %r3, %r3, 2;
  mov.u32 %r4, pool;
again:
  setp.ge.u32 %p, %r3, %r1;
  @%p bra done;
  add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r2;
  add.u32 %r3, %r3, 4096;
  bra again;
done:
  ret;
}
\0"""
THREADS, SHARED_LIMIT_ATTRIBUTE, SHARED_OPTIN = 1024, 8, 97


def free_memory(sizes, byte, device):
    """Takes blocks as large as a call's tensors, and small ones, fills them, and gives them back."""
    blocks = []
    try:
        for size in [*sizes, *sizes, *(1 << n for n in range(9, 23))]:
            blocks.append(torch.empty(max(size, 1), dtype=torch.uint8, device=device).fill_(byte))
    except RuntimeError:  # no room for all of them: those that there are will do
        pass


class SharedMemory:
    """The GPU's, of every multiprocessor."""
    def __init__(self, device):
        self.driver, self.function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        module, bytes_ = ctypes.c_void_p(), ctypes.c_int()
        self.call("cuModuleLoadData", ctypes.byref(module), PTX)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, b"kbv_poison")
        self.call("cuDeviceGetAttribute", ctypes.byref(bytes_), SHARED_OPTIN, device.index or 0)
        self.bytes = bytes_.value
        self.call("cuFuncSetAttribute", self.function, SHARED_LIMIT_ATTRIBUTE, self.bytes)
        self.blocks = 4 * torch.cuda.get_device_properties(device).multi_processor_count

    def call(self, name, *arguments):
        if (result := getattr(self.driver, name)(*arguments)) != 0:
            raise OSError(f"{name} failed with CUDA error {result}")

    def fill(self, byte):
        bytes_, word = ctypes.c_uint32(self.bytes), ctypes.c_uint32(byte * 0x01010101)
        arguments = (ctypes.c_void_p * 2)(ctypes.addressof(bytes_), ctypes.addressof(word))
        self.call("cuLaunchKernel", self.function, self.blocks, 1, 1, THREADS, 1, 1, self.bytes,
                  ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), arguments, None)
        torch.cuda.synchronize()
