// SPDX-License-Identifier: MIT
#include "device/cuda_module.h"

namespace kbv::cuda {

Result<std::unique_ptr<KernelModule>> KernelModule::load(const std::shared_ptr<DeviceContext>& context,
                                                         std::string_view ptx) {
  std::unique_ptr<KernelModule> self(new KernelModule(context));
  if (const Status status = context->api().module_load(&self->module_, ptx.data()); status != k_success) {
    self->module_ = nullptr;
    return fail_cuda(context->api(), status, "loading kbv's comparison kernels");
  }
  return self;
}

KernelModule::~KernelModule() {
  if (module_ != nullptr && context_->enter()) (void)context_->api().module_unload(module_);
}

Result<void> KernelModule::launch(const char* name, unsigned blocks, unsigned block_threads, void** parameters) const {
  const Api& api = context_->api();
  Function function = nullptr;
  KBV_TRY(context_->check(api.module_function(&function, module_, name), name));
  return context_->check(
      api.launch(function, blocks, 1, 1, block_threads, 1, 1, 0, context_->stream(), parameters, nullptr), name);
}

}  // namespace kbv::cuda
