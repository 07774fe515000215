"""Which limit text (an id of rules/limits.tsv) stands for each remark of the data.

A remark that is not listed here stops the generator: a new one needs an id, or `()` if the other columns say it.
"""

from __future__ import annotations

Ids = tuple[str, ...]

# Fields `npu.lim`, `npu.note`, `musa.note` of torch_cuda_api.json.
API_REMARKS: dict[str, Ids] = {
    "inference only, not training": ("graph-inference-only",),
    "tables say inference only": ("graph-inference-only",),
    "debug_dump writes JSON": ("debug-dump-json",),
    "high-risk interface, see torch_npu.npu.NPUPluggableAllocator": ("pluggable-allocator",),
    "high-risk interface, see torch_npu.npu.change_current_allocator": ("pluggable-allocator",),
    "initialises the current device (default 0) when no device is set": ("stream-initialises-device",),
    "value comes from env TORCH_NPU_DEVICE_CAPABILITY (None if unset), not from the hardware": ("device-capability",),
    "None unless env TORCH_NPU_DEVICE_CAPABILITY is set; not the hardware's value": ("device-capability",),
    "only name, total_memory, L2_cache_size, cube_core_num, vector_core_num; other CUDA properties empty": (
        "device-properties",
    ),
    "only name, total_memory, L2_cache_size, cube_core_num, vector_core_num; multi_processor_count/major/minor empty": (
        "device-properties",
    ),
    "use Tensor.npu; memory_format only torch.contiguous_format": ("contiguous-format-only",),
    "memory_format only torch.contiguous_format": ("contiguous-format-only",),
    "exists in code, table says unsupported": ("listed-unsupported",),
    "range 1-99": ("fft-plan-cache-size",),
    "torch.npu.DtypeTensor types unsupported": ("default-tensor-type",),
    "'torch.cuda.FloatTensor' strings are not translated; table: torch.npu.DtypeTensor types unsupported": (
        "default-tensor-type",
    ),
    "private torch_npu.npu._DeferredNpuCallError": ("private-name",),
    "private": ("private-name",),
    "C++ binding name": ("private-name",),
    "not exported as torch.musa.*": ("private-name",),
    "not exported as torch.musa.default_generators": ("private-name",),
    "not exported as torch.musa.init; initialisation is lazy": ("private-name", "lazy-init"),
    "float64 largely unsupported; transfer_to_npu maps it to torch.npu.FloatTensor": ("float64-tensor-type",),
    "torch.npu does not define it; torch.cuda.OutOfMemoryError is torch._C.OutOfMemoryError on every build": (
        "out-of-memory-error",
    ),
    "= torch._C.OutOfMemoryError": ("out-of-memory-error",),
    "extra positional parameter 'dynamic' before 'enabled'": ("gradscaler-positional",),
    "returns torch_npu._C._npurt (ACL names, not cuda* names); absent before the 2.13/2.14 wheels": ("cudart-npurt",),
    "returns the musart module (musa* names)": ("cudart-musart",),
    "keyword cuda_graph= is npu_graph=": ("graph-keyword",),
    "keyword cuda_graph= is musa_graph=": ("graph-keyword",),
    "HF32 instead: torch.npu.matmul.allow_hf32 / torch.npu.conv.allow_hf32": ("hf32",),
    "HF32": ("hf32",),
    "one switch for matmul and conv": ("mudnn-tf32",),
    "defined in torch_npu/npu/__init__.py, not in torch.npu.memory": (),
    "no torch.npu.hccl module": ("no-hccl-module",),
    "only version()": ("mccl-version-only",),
    "class with static methods; import torch_npu": ("nvtx-mstx",),
    "decorator only; torch_npu.npu.mstx module also has context manager annotate in 2.7.1.post11/2.13/2.14": (
        "nvtx-mstx",
        "mstx-range-decorator",
    ),
    "in wheels 2.7.1.post11, 2.13.0, 2.14.0; absent in 2.1.0.post17, 2.6.0.post5, 2.8.0.post5": ("nvtx-mstx",),
    "torchada installs no-op stubs": ("nvtx-musa",),
    "different API": ("profiler-api",),
    "torch.musa.profiler exists but has no start/stop/profile/init": ("musa-profiler",),
    "device 'npu'": ("device-argument",),
    "device 'musa'": ("device-argument",),
    "device_type 'npu'": ("device-argument",),
    "device_type 'musa'": ("device-argument",),
    "pass device='musa'": ("gradscaler-device",),
    "device argument 'cuda' must become 'npu'": ("device-argument",),
    "device_type 'cuda' must become 'musa'": ("device-argument",),
    "device_type 'cuda' must become 'npu'; fp64 not cast": ("device-argument", "autocast-float64"),
    "default device becomes musa": (),
    "device default is 'cuda'; transfer_to_npu does not wrap torch.amp.GradScaler.__init__": ("gradscaler-device",),
    "sets a global flag and warns": ("sdp-backends",),
    "sets global flags and warns": ("sdp-backends",),
    "torch_musa reads the same global flags": ("sdp-flags-shared",),
    "False on an NPU build; not patched": ("false-on-build",),
    "False on an NPU build": ("false-on-build",),
    "False on a MUSA build": ("false-on-build",),
    "False on a MUSA build; torchada makes it True": ("false-on-build",),
    "None on an NPU build": ("none-on-build",),
    "warns 'isn't implemented', returns Default": ("linalg-library",),
    "no autotuning switch; nearest is set_compile_mode(jit_compile=...). "
    "Ascend's tables list the attribute as accepted": ("cudnn-benchmark",),
    "attribute accepted, no cuDNN": ("no-cudnn",),
    "torch.backends.mudnn has only allow_tf32, flags, set_flags, version": ("mudnn-flags",),
    "only allow_tf32": ("mudnn-flags",),
    "only _allow_tf32": ("mudnn-flags",),
    "torch.npu.aclnn.version only warns": ("aclnn-version",),
    "compare with the string 'hccl'": ("backend-string",),
    "compare with the string 'mccl'": ("backend-string",),
    "table lists it as fp32 only": ("script-module-float32",),
    "tables 2.1.0-2.13.0: not supported": ("data-parallel",),
    "torch_musa patches nn/parallel": (),
    "torch_musa patches torch.nn.parallel.comm": ("comm-moved",),
    "torch_musa patches kineto/profiler": (),
    "no .npu(); use .to('npu')": ("packed-sequence-to",),
    "no .musa(); use .to('musa')": ("packed-sequence-to",),
    "compare .data.device.type": ("packed-sequence-device",),
    "experimental_config must be torch_npu.profiler._ExperimentalConfig": (),  # a rule of its own says so
    "C++ sources only (language c++, no .cu)": ("cuda-sources",),
    "table: not supported; cuda_sources have no NPU counterpart": ("cpp-load", "cuda-sources"),
    "cuda_sources have no NPU counterpart": ("cuda-sources",),
    ".mu sources; extra_compile_args key 'mcc' instead of 'nvcc'": ("musa-sources",),
    "musa_sources=": ("musa-sources-keyword",),
    "device_type 'cuda' paths do not exist": ("cuda-paths",),
    "transfer_to_npu does not translate this keyword (allow-list: device, device_type, map_location, device_id, "
    "device_ids); deprecated in torch": ("pin-memory-device",),
    "tables list from_dlpack/to_dlpack as unsupported; torch_npu patches them": ("dlpack",),
    "attribute only: module path is torch_musa.core.amp": ("attribute-only-module",),
    "torch.musa.random is not bound; the functions are at torch.musa.*": ("attribute-only-module",),
    "torch.musa.streams is not bound": ("attribute-only-module",),
    "torch_musa adds methods to UntypedStorage only": ("untyped-storage-only",),
    "torch_musa also makes is_cuda return the musa answer": (),
    "alias of PrivateUse1": (),
    "torch.get_autocast_dtype('musa')": ("autocast-dtype",),
    "torch.set_autocast_dtype('musa', ...)": ("autocast-dtype",),
}

# Facts of limits.json that belong to a name, where the name's own row has no remark. Keys are (target, name).
API_FACTS: dict[tuple[str, str], Ids] = {
    ("npu", "torch.cuda.can_device_access_peer"): ("device-keyword",),  # device-keyword
    ("npu", "torch.cuda.get_device_name"): ("device-keyword",),
    ("npu", "torch.cuda.get_device_properties"): ("device-keyword",),
    ("npu", "torch.cuda.graphs.graph"): ("graph-keyword",),  # graph-keyword
    ("musa", "torch.cuda.graphs.graph"): ("graph-keyword",),
    ("npu", "torch.cuda.amp.grad_scaler.GradScaler"): ("gradscaler-positional",),  # gradscaler-positional
    ("npu", "torch.cuda.default_generators"): ("default-generators",),  # default-generators
    ("npu", "torch.distributed.ProcessGroupNCCL.Options"): ("process-group-options",),  # pg-options
    ("musa", "torch.distributed.ProcessGroupNCCL.Options"): ("process-group-options",),
    ("musa", "torch.set_default_tensor_type"): ("default-tensor-type",),  # set-default-tensor-type
    ("npu", "torch.profiler.profile"): ("profiler-averages",),  # torch_npu/profiler/profiler.py
    ("npu", "torch.compile backend 'cudagraphs'"): ("compile-backend",),  # compile-backend
    ("musa", "torch.compile backend 'cudagraphs'"): ("compile-backend-musa",),  # compile-backend-musa
    ("npu", "torch.distributed backend 'nccl'"): ("backend-string",),  # nccl-string-check
    ("musa", "torch.distributed backend 'nccl'"): ("backend-string",),
    ("npu", "torch.library dispatch key 'CUDA'"): ("dispatch-key",),  # library-key
    ("musa", "torch.library dispatch key 'CUDA'"): ("dispatch-key",),
}

# Field `note` of env_map.json, per target: a note often speaks of one of the two.
ENV_NOTES: dict[str, dict[str, Ids]] = {
    # About containers and about what torchada does by itself: nothing to do for who writes the variable.
    "container level: MTHREADS_VISIBLE_DEVICES; torchada mirrors MUSA_ and CUDA_VISIBLE_DEVICES": {},
    "device-agnostic PYTORCH_ALLOC_CONF works on NPU from TorchNPU 26.2.0 with torch >= 2.10; "
    "setting both is an error": {"npu": ("alloc-conf-keys", "alloc-conf-agnostic"), "musa": ("alloc-conf-keys",)},
    "no hit in the three code bases": {"npu": ("env-no-counterpart",), "musa": ("env-no-counterpart",)},
    "cuBLAS only; NPU determinism: HCCL_DETERMINISTIC, torch.use_deterministic_algorithms": {
        "npu": ("cublas-workspace", "deterministic-npu"),
        "musa": ("cublas-workspace",),
    },
    "no counterpart found in the three code bases": {"npu": ("env-no-counterpart",), "musa": ("env-no-counterpart",)},
}

# Values of env_map.json that are more than one plain name: none of them is written, so a user must be told.
ENV_PATTERNS: dict[str, Ids] = {
    "ASCEND_VISIBLE_DEVICES (container runtime, not verified here)": ("container-visible-devices",),
    "HCCL_CONNECT_TIMEOUT, HCCL_EXEC_TIMEOUT": ("hccl-timeouts",),
    "HCCL_SOCKET_IFNAME (not verified here)": (),
    "MUSA_DEVICE_MAX_CONNECTIONS (guess by naming)": (),
}

# What holds for one variable, in place of the note of its row.
ENV_FACTS: dict[tuple[str, str], Ids] = {
    ("npu", "NCCL_DEBUG"): ("log-level-number",),  # CANN's page on ASCEND_GLOBAL_LOG_LEVEL: a number from 0 to 4
    ("npu", "CUDA_HOME"): ("cann-home",),
    ("musa", "CUDA_HOME"): ("musa-home",),
    ("npu", "NCCL_ALGO"): ("algorithm-levels",),  # CANN's page on HCCL_ALGO
    ("npu", "NCCL_BUFFSIZE"): ("buffer-megabytes",),  # CANN's page on HCCL_BUFFSIZE
    ("musa", "TORCH_CUDA_ARCH_LIST"): ("architecture-numbers",),
    ("npu", "NCCL_SOCKET_IFNAME"): ("hccl-socket-ifname",),  # the row's value stands for this one of its three names
}

# Names of npu_native_api_support.json that a fact of limits.json speaks of.
NATIVE_FACTS: dict[str, str] = {
    "torch.Tensor.is_shared": "share-memory",
    "torch.Tensor.share_memory_": "share-memory",
    "torch.TypedStorage.share_memory_": "share-memory",
    "torch.jit.ScriptModule.share_memory": "share-memory",
    "torch.nn.Module.share_memory": "share-memory",
    "torch.Tensor.smm": "sparse",
    "torch.Tensor.sparse_mask": "sparse",
    "torch.Tensor.sspaddmm": "sparse",
    "torch.Tensor.to_dense": "sparse",
    "torch.Tensor.to_sparse": "sparse",
    "torch.Tensor.to_sparse_bsc": "sparse",
    "torch.Tensor.to_sparse_bsr": "sparse",
    "torch.Tensor.to_sparse_csc": "sparse",
    "torch.Tensor.to_sparse_csr": "sparse",
    "torch.backends.cuda.enable_flash_sdp": "sdp-backends",
    "torch.backends.cuda.enable_math_sdp": "sdp-backends",
    "torch.backends.cuda.enable_mem_efficient_sdp": "sdp-backends",
    "torch.backends.cuda.sdp_kernel": "sdp-backends",
    "torch.cuda.get_device_capability": "device-capability",
    "torch.from_dlpack": "dlpack",
    "torch.nn.DataParallel": "data-parallel",
    "torch.nn.parallel.data_parallel": "data-parallel",
    "torch.utils.cpp_extension.load": "cpp-load",
    "torch.utils.dlpack.from_dlpack": "dlpack",
    "torch.utils.dlpack.to_dlpack": "dlpack",
}

# Entries of `texts` in npu_native_api_support.json that source code shows. Limits on shapes, ranges and dtypes of
# operands are not visible in the source and have no id.
NATIVE_TEXTS: dict[str, str] = {
    "use Tensor.npu; memory_format only torch.contiguous_format": "contiguous-format-only",
    "memory_format only torch.contiguous_format or torch.preserve_format": "contiguous-format-only",
    "float64 partly unsupported on NPU: returns float32 for compatibility": "float64-cast",
    "topk: only sorted=True; indices can differ from GPU/CPU": "topk-sorted",
    "range 1-99": "fft-plan-cache-size",
    "inference only, not training": "graph-inference-only",
    "debug_dump writes JSON": "debug-dump-json",
    "high-risk interface, see torch_npu.npu.NPUPluggableAllocator": "pluggable-allocator",
    "high-risk interface, see torch_npu.npu.change_current_allocator": "pluggable-allocator",
    "initialises the current device (default 0) when no device is set": "stream-initialises-device",
    "value comes from env TORCH_NPU_DEVICE_CAPABILITY (None if unset), not from the hardware": "device-capability",
    "only name, total_memory, L2_cache_size, cube_core_num, vector_core_num; other CUDA properties empty": (
        "device-properties"
    ),
    "world_size 3, 5, 6, 7 unsupported": "hccl-world-size",
    "pass device_id=torch.device('npu:0')": "fsdp-device-id",
    "pg_options takes torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()": "process-group-options",
    "use torch_npu.distributed.rpc.NPUTensorPipeRpcBackendOptions": "rpc-options",
    "init_rpc: backend must be rpc.backend_registry.BackendType.NPU_TENSORPIPE": "rpc-options",
    "init_rpc: options must be torch_npu.distributed.rpc.options.NPUTensorPipeRpcBackendOptions": "rpc-options",
    "foreach slow with many param groups; foreach=False advised": "optimizer-foreach",
    "torch.npu.DtypeTensor types unsupported": "default-tensor-type",
    "NPU tensors in the dataset need num_workers=0": "dataloader-workers",
}

# Advice `use` of third_party.json. `()` where the field says nothing (or only the status).
MODULE_ADVICE: dict[tuple[str, str], Ids] = {
    ("npu", "apex"): ("apex-npu",),
    ("musa", "apex"): ("apex-musa",),
    ("npu", "amp_C"): ("amp-c-npu",),
    ("musa", "amp_C"): ("amp-c-musa",),
    ("npu", "fused_layer_norm_cuda"): ("use-layer-norm",),
    ("musa", "fused_layer_norm_cuda"): ("use-layer-norm",),
    ("npu", "fused_weight_gradient_mlp_cuda"): ("mindspeed-matmul-add",),
    ("npu", "flash_attn"): ("use-npu-fusion-attention", "use-sdpa"),
    ("musa", "flash_attn"): ("mate-flash-attn",),
    ("npu", "flash_attn_interface"): ("use-npu-fusion-attention",),
    ("musa", "flash_attn_interface"): ("mate-flash-attn",),
    ("npu", "flash_mla"): ("use-npu-mla",),
    ("musa", "flash_mla"): ("mate-wrapper",),
    ("musa", "sageattention"): ("mate-wrapper",),
    ("npu", "deep_gemm"): ("use-npu-grouped-matmul",),
    ("musa", "deep_gemm"): ("mate-wrapper",),
    ("npu", "xformers"): ("use-npu-fusion-attention", "use-sdpa"),
    ("musa", "xformers"): ("use-sdpa",),
    ("npu", "triton"): ("triton-ascend",),
    ("musa", "triton"): ("triton-musa",),
    ("npu", "bitsandbytes"): ("bitsandbytes-npu",),
    ("musa", "bitsandbytes"): ("bitsandbytes-musa",),
    ("npu", "transformer_engine"): ("mindspeed-te",),
    ("musa", "transformer_engine"): ("mt-transformer-engine",),
    ("npu", "megatron"): ("mindspeed-megatron",),
    ("musa", "megatron"): ("mt-megatron",),
    ("npu", "deepspeed"): ("deepspeed-npu",),
    ("musa", "deepspeed"): ("deepspeed-musa",),
    ("npu", "transformers"): ("library-supports-npu", "library-shim-guard"),
    ("musa", "transformers"): ("library-supports-musa",),
    ("npu", "accelerate"): ("library-supports-npu", "library-shim-guard"),
    ("musa", "accelerate"): ("library-supports-musa",),
    ("npu", "peft"): ("library-shim-guard",),
    ("npu", "trl"): ("library-shim-guard",),
    ("npu", "torchvision"): ("torchvision-npu",),
    ("musa", "torchvision"): ("torchvision-musa",),
    ("npu", "torchaudio"): ("use-cpu-wheel",),
    ("musa", "torchaudio"): ("build-from-source",),
    ("npu", "vllm"): ("vllm-ascend",),
    ("musa", "vllm"): ("vllm-musa",),
    ("npu", "sglang"): ("library-supports-npu",),
    ("musa", "sglang"): ("sglang-musa",),
    ("npu", "liger_kernel"): ("liger-kernel-npu",),
    ("npu", "torch_geometric"): ("library-supports-npu",),
    ("musa", "torch_geometric"): ("torch-geometric-musa",),
    ("npu", "onnxruntime"): ("onnxruntime-cann",),
    ("musa", "onnxruntime"): ("onnxruntime-musa",),
    ("npu", "pynvml"): ("use-npu-smi",),
    ("musa", "pynvml"): ("use-pymtml",),
    ("npu", "nvidia_smi"): ("use-npu-smi",),
    ("musa", "nvidia_smi"): ("use-mthreads-gmi",),
    ("npu", "cupy"): ("no-equivalent",),
    ("musa", "cupy"): ("no-equivalent",),
    ("npu", "numba.cuda"): ("kernels-npu",),
    ("musa", "numba.cuda"): ("kernels-musa",),
    ("npu", "pycuda"): ("no-equivalent",),
    ("musa", "pycuda"): ("no-equivalent",),
    ("npu", "tensorrt"): ("tensorrt-npu",),
    ("npu", "torch_tensorrt"): ("torch-tensorrt-npu",),
    ("npu", "nvidia.dali"): ("no-equivalent",),
    ("musa", "nvidia.dali"): ("no-equivalent",),
    ("musa", "cuda.bindings"): ("use-musart",),
    ("npu", "fbgemm_gpu"): ("fbgemm-ascend",),
    ("musa", "flashinfer"): ("use-mate",),
    ("musa", "deep_ep"): ("mt-deepep",),
    ("musa", "cvcuda"): ("cvcuda-musa",),
    ("npu", "ray"): ("library-supports-npu",),
    ("musa", "ray"): ("ray-musa",),
}

# Facts of limits.json and the text that says them; empty where no text is due (the construct works, or it is advice on
# speed, or a defect of another converter).
FACTS: dict[str, str] = {
    "amp-c-import": "amp-c-npu",
    "amp-c-import-musa": "amp-c-musa",
    "amp-gradscaler-device": "gradscaler-device",
    "autoload": "backend-autoload",
    "channels-last-contiguous": "channels-last",
    "channels-last-empty": "channels-last",
    "channels-last-musa-ok": "",
    "channels-last-resize": "channels-last",
    "channels-last-to": "channels-last",
    "compile-backend": "compile-backend",
    "compile-backend-musa": "compile-backend-musa",
    "conv-argparse": "",
    "conv-import-amp": "",
    "conv-substrings": "",
    "cpp-extension-load": "cpp-load",
    "cpp-extension-musa": "musa-sources",
    "cpu-fallback": "cpu-fallback",
    "dataloader-npu-workers": "dataloader-workers",
    "dataparallel": "data-parallel",
    "default-generators": "default-generators",
    "device-capability": "device-capability",
    "device-keyword": "device-keyword",
    "device-properties": "device-properties",
    "device-type-check": "device-type-check",
    "dlpack": "dlpack",
    "float64-cast": "float64-cast",
    "float64-musa": "",
    "float64-ops": "float64-cast",
    "fsdp-device-id": "fsdp-device-id",
    "gradscaler-positional": "gradscaler-positional",
    "graph-keyword": "graph-keyword",
    "graph-training": "graph-inference-only",
    "hccl-dtype": "hccl-dtype",
    "hccl-reduceop": "hccl-reduceop",
    "hccl-world-size": "hccl-world-size",
    "import-before": "shim-import-first",
    "init-method-tcp": "init-method-tcp",
    "is-available-musa-torchada": "torchada-availability",
    "jit-musa-ok": "",
    "jit-script-mindspeed": "jit-script-mindspeed",
    "jit-script-npu-ok": "",
    "jit-script-t2n": "jit-script-shim",
    "library-key": "dispatch-key",
    "musa-import-path": "attribute-only-module",
    "nccl-string-check": "backend-string",
    "no-cpu-fallback": "no-cpu-fallback",
    "npu-import-path": "npu-import-path",
    "nvtx": "nvtx-mstx",
    "perf-compile-mode": "",
    "perf-dataloader": "",
    "perf-ddp-bucket": "",
    "perf-foreach": "optimizer-foreach",
    "perf-fused-optim": "optimizer-fused",
    "pg-options": "process-group-options",
    "pin-memory-device": "pin-memory-device",
    "profiler-experimental": "profiler-experimental-config",
    "quint": "quantized-dtypes",
    "rpc": "rpc-options",
    "sdp-backends": "sdp-backends",
    "set-default-tensor-type": "default-tensor-type",
    "share-memory": "share-memory",
    "sparse": "sparse",
    "tf32": "hf32",
    "to-int": "integer-device",
    "to-int-musa-ok": "",
    "topk": "topk-sorted",
}
