// SPDX-License-Identifier: MIT
// libkbv_tracer.so: tells which kernels ran in a process. CUDA loads it into the process through CUDA_INJECTION64_PATH;
// the worker calls the two functions below around one forward pass that is not timed.
//
// It runs where the untrusted code runs, which may disturb it or write what it likes to the same descriptor. So what it
// tells makes labels, never verdicts.
#pragma once

#define KBV_TRACER_API extern "C" __attribute__((visibility("default")))

/// CUDA calls this within cuInit. Finds CUPTI and does nothing else; always 1, so that the process goes on.
KBV_TRACER_API int InitializeInjection(void);

/// Starts to collect kernels, copies and sets; forgets what was collected before. 0, or 1 if nothing can be collected:
/// kbv_trace_end() then writes why. Works without the injection too, when CUPTI can be found.
KBV_TRACER_API int kbv_trace_begin(void);

/// Stops, and writes one line of JSON to the descriptor that KBV_TRACE_FD names. The caller has synchronised the
/// device. 0 if all was written, 1 if not.
KBV_TRACER_API int kbv_trace_end(void);
