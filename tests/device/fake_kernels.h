// SPDX-License-Identifier: MIT
// The kernels' own source, compiled for the host and run there, for fake_driver.cpp.
#pragma once

struct CUfunc_st;

CUfunc_st* fake_kernel(const char* name);
void run_fake_kernel(CUfunc_st* kernel, unsigned blocks, unsigned block_threads, void** parameters);
