# SPDX-License-Identifier: MIT
"""Which rules names of Python belong to. Names are complete: "torch.cuda.Stream", however the source calls it."""

# A name stands for all below it, too, unless those have an entry of their own; "-" is no rule.
RULES = {
    "-": """torch.cuda.current_stream torch.cuda.default_stream torch.cuda.synchronize os.path.join os.path.dirname os.path.abspath
        os.path.basename torch.library.triton_op torch.library.custom_op torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd""",
    "side_stream": """torch.cuda.Stream torch.cuda.stream torch.cuda.ExternalStream torch.cuda.set_stream torch.cuda.StreamContext torch.Stream
        torch.cuda.streams.Stream cupy.cuda.Stream cupy.cuda.ExternalStream torch.accelerator.set_stream""",
    "cuda_graph": "torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.graphs torch.cuda.make_graphed_callables torch.cuda.graph_pool_handle",
    "threads": """threading _thread multiprocessing torch.multiprocessing concurrent.futures asyncio torch.jit.fork torch.jit._fork
        torch.futures queue torch.distributed.rpc sched gevent trio""",
    "late_work": "atexit weakref.finalize signal.signal signal.setitimer signal.alarm sys.exitfunc sys.excepthook sys.unraisablehook threading.excepthook",
    "clock": """time.time time.time_ns time.perf_counter time.perf_counter_ns time.monotonic time.monotonic_ns time.process_time time.process_time_ns
        time.thread_time time.clock_gettime time.clock_gettime_ns timeit datetime.datetime.now datetime.datetime.utcnow torch.cuda.Event torch.Event
        torch.cuda.streams.Event torch.utils.benchmark triton.testing.do_bench torch.profiler torch.autograd.profiler cupy.cuda.Event time.localtime""",
    "sleep": "time.sleep torch.cuda._sleep signal.pause select.select threading.Event.wait asyncio.sleep",
    "torch_compile": """torch.compile torch.jit.script torch.jit.trace torch.jit.freeze torch.jit.optimize_for_inference torch._inductor torch.export
        torch.onnx torch_tensorrt tensorrt onnxruntime torch.fx.symbolic_trace functorch.compile thunder jax""",
    "library_op": """torch.linalg torch.fft torch.special torch.ops.aten torch.ops.prims torch._C._nn torch._VF torch.backends.cudnn.rnn torch.nn.quantized
        torch.nn.functional numpy.dot numpy.matmul numpy.einsum scipy cupy xformers flash_attn fla apex transformer_engine liger_kernel
        torch.nn.utils.rnn torch.sparse.mm torch.nested torch.nn.attention cutlass triton.ops deep_gemm bitsandbytes torchvision torchaudio einops""",
    "low_precision": """torch.float16 torch.half torch.bfloat16 torch.float8_e4m3fn torch.float8_e5m2 torch.float8_e4m3fnuz torch.float8_e5m2fnuz
        torch.float8_e8m0fnu torch.HalfTensor torch.BFloat16Tensor torch.cuda.HalfTensor torch.autocast torch.amp torch.cuda.amp numpy.float16
        triton.language.float16 triton.language.bfloat16 triton.language.float8e4nv triton.language.float8e5 triton.language.float8e4b8
        triton.language.float8e4b15 triton.language.float8e5b16 torch.set_autocast_dtype torch.quantization torch.ao torch.quantize_per_tensor torch.qint8
        cutlass.float16 cutlass.bfloat16""",
    "tf32": "torch.set_float32_matmul_precision triton.language.tf32",
    "fast_math": "triton.language.extra.libdevice.fast_expf triton.language.extra.cuda.libdevice.fast_expf triton.language.math.fast_expf",
    "random": """random secrets torch.rand torch.randn torch.randint torch.rand_like torch.randn_like torch.randperm torch.manual_seed torch.seed torch.initial_seed
        torch.Generator torch.random torch.cuda.manual_seed torch.cuda.manual_seed_all torch.get_rng_state torch.set_rng_state torch.cuda.get_rng_state
        torch.cuda.set_rng_state torch.bernoulli torch.normal torch.multinomial torch.nn.init torch.default_generator torch.cuda.default_generators
        numpy.random os.urandom triton.language.rand triton.language.randn uuid""",
    "identity_cache": "torch.is_same_size torch._C._is_alias_of torch._is_same",
    "result_cache": "functools.lru_cache functools.cache functools.cached_property weakref shelve joblib.Memory",
    "tensor_subclass": """torch.Tensor._make_subclass torch.Tensor._make_wrapper_subclass torch.Tensor.as_subclass torch.overrides torch.utils._python_dispatch
        torch._C.DisableTorchFunctionSubclass torch._C._TensorBase torch.utils._device""",
    "object_patch": "types.MethodType object.__setattr__ object.__new__ torch.nn.Module.__setattr__",
    "raw_storage": """torch.UntypedStorage torch.TypedStorage torch.from_dlpack torch.to_dlpack torch.utils.dlpack torch.frombuffer torch.from_file
        torch.FloatStorage torch.as_strided torch.cuda.FloatStorage""",
    "foreign_memory": "torch.multiprocessing.reductions torch.cuda.memory_snapshot torch.cuda.memory._snapshot torch.cuda.ipc_collect torch.cuda.caching_allocator_alloc cuda.bindings",
    "module_patch": "unittest.mock mock wrapt gorilla",
    "global_flags": """torch.set_default_dtype torch.set_default_device torch.set_num_threads torch.set_num_interop_threads torch.use_deterministic_algorithms
        torch.set_grad_enabled torch.inference_mode.__setattr__ torch.set_flush_denormal torch.backends.cudnn.flags torch.set_deterministic_debug_mode
        torch.set_default_tensor_type torch.cuda.set_per_process_memory_fraction torch.cuda.empty_cache torch.backends.cuda.sdp_kernel""",
    "code_object": "types.CodeType types.FunctionType dis bytecode opcode codeop types.CellType",
    "hooks": """sys.meta_path sys.path_hooks sys.path_importer_cache sys.settrace sys.setprofile threading.settrace threading.setprofile sys.addaudithook
        sys.displayhook importlib.abc importlib.machinery torch.nn.modules.module.register_module_forward_hook torch.utils.hooks torch.library.Library
        torch.library.impl torch.nn.modules.module.register_module_forward_pre_hook sys.path sys.monitoring sys.setswitchinterval site sitecustomize
        torch.nn.modules.module.register_module_full_backward_hook sys.set_asyncgen_hooks""",
    "torch_internals": "torch._C torch._dynamo torch._ops torch._prims torch._refs torch._subclasses torch._guards torch._higher_order_ops torch._utils torch._functorch",
    "dynamic_code": """eval exec compile pickle cPickle dill cloudpickle marshal importlib __import__ runpy code.InteractiveInterpreter torch.load torch.package
        torch.hub pkgutil imp zipimport copyreg torch.jit.load""",
    "built_name": "globals locals vars operator.attrgetter operator.methodcaller",
    "encoded_text": "base64 zlib binascii codecs.decode codecs.encode lzma bz2 gzip bytes.fromhex quopri uu",
    "introspection": """gc inspect traceback tracemalloc sys._getframe sys._current_frames sys.modules sys.getrefcount sys.gettrace sys.getprofile sys.exc_info
        faulthandler __main__ linecache torch.cuda.memory._record_memory_history psutil pympler objgraph sys.getsizeof symtable globals().__main__""",
    "mode_sniff": """torch.is_grad_enabled torch.is_inference_mode_enabled torch.is_autocast_enabled torch.jit.is_scripting torch.jit.is_tracing
        torch.compiler.is_compiling torch.cuda.is_current_stream_capturing torch._dynamo.is_compiling torch.autograd.profiler_util sys.flags sys.gettrace""",
    "environment": """os.environ os.getenv os.putenv os.unsetenv os.uname platform os.getpid os.getppid os.getuid os.getlogin os.cpu_count os.sched_getaffinity
        os.getcwd os.getloadavg sys.argv sys.orig_argv sys.executable getpass socket.gethostname pwd sysconfig sys.prefix os.get_terminal_size sys.version
        importlib.metadata pkg_resources locale os.environb""",
    "device_query": """torch.cuda.get_device_name torch.cuda.get_device_properties torch.cuda.get_device_capability torch.cuda.is_available torch.cuda.device_count
        torch.cuda.mem_get_info torch.cuda.memory_allocated torch.cuda.max_memory_allocated torch.cuda.memory_stats torch.cuda.memory_summary
        torch.cuda.utilization torch.cuda.temperature torch.cuda.clock_rate torch.cuda.current_device torch.version pynvml torch.cuda.get_arch_list
        triton.runtime.driver torch.__version__ torch.cuda.memory_reserved torch.cuda.power_draw torch.get_num_threads""",
    "files": """open io.open os.open os.read os.write os.listdir os.scandir os.walk os.remove os.unlink os.rename os.replace os.makedirs os.mkdir os.symlink os.link
        os.stat os.path os.truncate os.chmod pathlib shutil tempfile glob mmap numpy.load numpy.save numpy.fromfile numpy.memmap torch.save torch.load
        os.memfd_create multiprocessing.shared_memory sqlite3 zipfile tarfile fileinput os.readlink os.chdir os.mkfifo os.statvfs io.FileIO posix.open
        os.posix_fallocate torch.from_file linecache os.access os.fdopen""",
    "network": "socket ssl urllib requests http ftplib smtplib telnetlib xmlrpc aiohttp httpx huggingface_hub torch.hub torch.distributed socketserver websocket pip",
    "process_start": """subprocess os.system os.popen os.fork os.forkpty os.execv os.execve os.execvp os.execvpe os.execl os.execlp os.spawnl os.spawnv os.spawnve
        os.posix_spawn os.posix_spawnp pty os.setsid os.daemon multiprocessing.Process torch.multiprocessing.spawn commands asyncio.create_subprocess_exec""",
    "descriptors": """os.dup os.dup2 os.close os.closerange os.pipe os.pipe2 os.fdopen fcntl os.sendfile os.set_inheritable os.fstat os.lseek socket.fromfd
        socket.socketpair os.eventfd os.pwrite os.pread os.get_inheritable""",
    "process_settings": """os.kill os.killpg os.nice os.setpriority os.sched_setaffinity os.sched_setscheduler resource os.setuid os.setgid signal.pthread_kill
        signal.raise_signal os.setpgid os.setsid os.tcsetpgrp signal.pthread_sigmask sys.setrecursionlimit os.umask os.ptrace_me os.unshare os.setns
        os.chroot os.mount""",
    "exit": "sys.exit os._exit os.abort exit quit SystemExit",
    "writes_output": "print sys.stdout sys.stderr sys.__stdout__ sys.__stderr__ logging warnings.warn rich tqdm syslog",
    "ctypes": "ctypes cffi _ctypes _cffi_backend cppyy pybind11 triton.runtime.build",
    "dynamic_library": """ctypes.CDLL ctypes.cdll ctypes.PyDLL ctypes.WinDLL ctypes.util.find_library torch.ops.load_library torch.classes.load_library
        ctypes.pythonapi sys.setdlopenflags importlib.machinery.ExtensionFileLoader""",
    "inline_asm": "triton.language.inline_asm_elementwise",
    "device_clock": "triton.language.extra.cuda.globaltimer triton.language.extra.cuda.smid triton.language.extra.cuda.gdc_wait",
    "device_settings": """torch.cuda.set_device torch.cuda.device torch.cuda.init torch.cuda.cudart torch.cuda.set_sync_debug_mode torch.cuda.memory.set_per_process_memory_fraction
        torch.cuda.memory.change_current_allocator torch.cuda.MemPool torch.cuda.use_mem_pool torch.cuda.reset_peak_memory_stats""",
}

# Of objects that are not known.
METHOD_RULES = {
    "side_stream": "wait_stream record_stream wait_event",
    "cuda_graph": "replay capture_begin capture_end",
    "clock": "elapsed_time",
    "library_op": """matmul mm bmm addmm addmm_ baddbmm addmv mv softmax log_softmax relu relu_ sigmoid sum mean amax amin cumsum cumprod argmax argmin einsum logsumexp
        norm var std sort topk clamp clamp_ clamp_min erf rsqrt prod""",
    "low_precision": "half bfloat16",
    "random": "normal_ uniform_ random_ bernoulli_ exponential_ trunc_normal_",
    "tensor_subclass": "as_subclass _make_subclass _make_wrapper_subclass",
    "object_patch": "__setattr__ __setstate__",
    "raw_storage": "set_ untyped_storage storage as_strided as_strided_ __dlpack__ __cuda_array_interface__ resize_ share_memory_ _set_data",
    "code_object": "__code__ __globals__ __closure__ co_code __func__ f_globals f_locals",
    "introspection": "__subclasses__ __mro__ f_back tb_frame gi_frame _getframe currentframe",
    "hooks": "register_forward_hook register_forward_pre_hook register_full_backward_hook register_hook register_load_state_dict_pre_hook",
    "threads": "submit",
    "inline_asm": "inline_asm_elementwise",
}

LIBRARY_PLACES = {"torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.ops.aten", "torch._C._nn"}
LIBRARY_FUNCTIONS = set("""
    matmul mm bmm addmm addbmm baddbmm addmv mv dot einsum tensordot inner outer kron chain_matmul conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d convolution relu relu_ sigmoid tanh softmax log_softmax gelu selu celu prelu rrelu layer_norm batch_norm group_norm instance_norm
    native_layer_norm native_batch_norm rms_norm sum mean var std var_mean std_mean max min amax amin argmax argmin norm prod cumsum cumprod cummax cummin
    logsumexp logcumsumexp exp exp2 expm1 log log2 log1p sqrt rsqrt erf erfc abs clamp clamp_min clamp_max clip where add sub mul div pow square minimum
    maximum sort topk gather scatter scatter_add index_select masked_fill cat stack embedding dropout max_pool1d max_pool2d max_pool3d avg_pool1d
    adaptive_avg_pool1d lstm gru rnn_tanh cdist cosine_similarity cross bincount histc tril triu nansum count_nonzero median quantile segment_reduce
    sparse_mm addcmul addcdiv lerp sin cos atan2 floor ceil round sign logaddexp hinge_embedding_loss
    """.split())
# Modules that only hold parameters, or others.
MODULES_OF_PARAMETERS = set("Module Parameter ParameterList ParameterDict ModuleList ModuleDict Sequential Buffer UninitializedParameter Identity".split())

# Assignments below these: flags of PyTorch's, and clocks with what waits for a device.
FLAGS = ("torch.backends.", "torch._inductor.config.", "torch._dynamo.config.")
TIMERS = ("time.", "timeit.", "torch.cuda.Event", "torch.Event", "torch.cuda.synchronize", "torch.cuda.streams.Event", "torch.cuda.current_stream",
          "torch.cuda.Stream.synchronize", "torch._C._cuda_synchronize", "torch._C._CudaEventBase", "torch.cuda.streams.Stream.synchronize", "datetime.",
          "triton.testing.", "torch.utils.benchmark.")

# Functions whose arguments are source.
SOURCE_CALLS = {"load_inline", "RawKernel", "RawModule", "compile_extension", "Program", "nvrtcCreateProgram", "SourceModule", "inline_asm_elementwise", "ElementwiseKernel",
                "ReductionKernel", "_compile_kernel", "cdef", "verify", "set_source"}
ODD_FLAGS = ("-fplugin", "-wrapper", "-B", "-include", "-imacros", "-specs", "--specs", "@", "-ccbin", "--compiler-bindir", "-dlto-", "-Wl,--wrap", "-Wl,-init",
             "--pre-include", "--options-file", "-optf")

# In lower case: what only a harness has a reason to name.
BENCHMARKS = {"kernelbench", "get_inputs", "get_init_inputs", "eval_kernel_against_ref", "run_and_check_correctness", "measure_program_time", "time_execution_with_cuda_event",
              "check_correctness", "graceful_eval_cleanup", "kbv", "kernelbot", "popcorn", "reference_model", "ref_kernel", "check_implementation", "generate_input",
              "custom_kernel", "eval_reference", "ref_arch_src", "robust_kbench", "tritonbench", "kernel_exec_result"}


def turned(rules):
    found = {}
    for rule, names in rules.items():
        for name in names.split():
            found[name] = found.get(name, ()) + ((rule,) if rule != "-" else ())
    return found


NAMES, METHODS = turned(RULES), turned(METHOD_RULES)
