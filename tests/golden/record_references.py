#!/usr/bin/env python3
"""Records what other engines make of a configuration: their own code is run, its table of cosines and sines is read off.

    record_references.py ENGINE SOURCES < configs.jsonl > ENGINE.jsonl

ENGINE: vllm, sglang, onnxruntime-genai (their Python sources unpacked in SOURCES; an environment with torch and
transformers 5), mlx-lm (SOURCES/mlx_lm; an environment with mlx), transformers-4 (an environment with transformers 4.57).
README.md names the releases. Engines that hand the configuration to transformers first are given the configuration
class of transformers 5, as they are in use. What a whole engine would have to be started for is replaced by empty
stand-ins; no arithmetic is.

A line: {"id", "seq_len", "inv_freq": [...], "factor": f} or {"id", "seq_len", "fails": "what it raised"}.

    record_references.py merge ENGINE.jsonl ... > answers.jsonl

puts what several engines said on one line each, every list of frequencies once:
{"table": number, "inv_freq": [...]} and {"id", "seq_len", "answers": {ENGINE: [table, factor] or "what it raised"}}.
"""
import importlib.abc, importlib.machinery, json, math, os, sys, types
from unittest import mock


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Empty modules for everything of an engine but the packages named."""

    def __init__(self, root, real):
        self.root, self.real = root, real

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in self.root or any(name.startswith(r) for r in self.real):
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        return spec

    def create_module(self, spec):
        module = mock.MagicMock()
        module.__name__, module.__spec__ = spec.name, spec
        import torch.nn as nn

        class Op(nn.Module):
            def __init__(self, *args, **kwargs):
                super().__init__()

            @classmethod
            def register(cls, *args, **kwargs):
                return lambda x: x

            @classmethod
            def enabled(cls):
                return False

        module.__path__ = []
        module.CustomOp = module.BaseFusedOp = Op
        for off in ("is_cuda", "is_hip", "is_npu", "is_cpu", "is_xpu", "is_musa", "is_mps", "cpu_has_amx_support",
                    "get_bool_env_var"):
            setattr(module, off, lambda *a, **k: False)
        module.get_device = lambda *a, **k: "cpu"
        return module

    def exec_module(self, module):
        pass


def stand_in(root, real, folders):
    """`folders`: package name -> the real folder of it."""
    sys.meta_path.insert(0, StandIns(root, real))
    import importlib.util
    for name, folder in folders.items():
        spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"),
                                                      submodule_search_locations=[folder])
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)


def config_of(json_config):
    import transformers
    kind = transformers.models.auto.configuration_auto.CONFIG_MAPPING[json_config["model_type"]]
    config = kind.from_dict(dict(json_config))
    return getattr(config, "text_config", config)


def head_dim_of(config):
    if hasattr(config, "qk_rope_head_dim"):
        return config.qk_rope_head_dim
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def first_row(cos, sin):
    """Frequencies and magnitude from position 1 of a table: every angle is at most 1 there."""
    cos, sin = [float(x) for x in cos], [float(x) for x in sin]
    return [math.atan2(s, c) for c, s in zip(cos, sin)], math.hypot(cos[0], sin[0])


def halves(cache, position):
    row = cache[position]
    return first_row(*row.chunk(2, dim=-1))


def vllm(sources):
    package = "vllm.model_executor.layers.rotary_embedding"
    stand_in({"vllm"}, [package], {package: f"{sources}/vllm/model_executor/layers/rotary_embedding"})
    get_rope = sys.modules[package].get_rope
    longrope = sys.modules[package + ".phi3_long_rope_scaled_rope"]

    def run(json_config, seq_len):
        import torch
        config = config_of(json_config)
        parameters = dict(config.rope_parameters)
        if hasattr(config, "qk_rope_head_dim") and parameters["rope_type"] != "default":
            # vllm/model_executor/models/deepseek_v2.py
            parameters["rope_type"] = "deepseek_yarn" if parameters.get("apply_yarn_scaling", True) else "deepseek_llama_scaling"
        longrope.get_current_vllm_config = lambda: types.SimpleNamespace(
            model_config=types.SimpleNamespace(max_model_len=config.max_position_embeddings))
        rope = get_rope(head_dim_of(config), config.max_position_embeddings, True, parameters, torch.float32)
        if hasattr(rope, "long_short_cos_sin_cache"):
            offset = rope.original_max_position_embeddings if rope.use_long_rope else 0
            return halves(rope.long_short_cos_sin_cache, offset + 1)
        return halves(rope.cos_sin_cache, 1)

    return run


def sglang(sources):
    package = "sglang.srt.layers.rotary_embedding"
    stand_in({"sglang", "sgl_kernel"}, [package], {package: f"{sources}/sglang/srt/layers/rotary_embedding"})
    get_rope = sys.modules[package].get_rope

    def run(json_config, seq_len):
        import torch
        torch.Tensor.cuda = lambda tensor: tensor
        config = config_of(json_config)
        parameters = dict(config.rope_parameters)
        latent = hasattr(config, "qk_rope_head_dim")
        if latent and parameters["rope_type"] != "default":
            parameters["rope_type"] = "deepseek_yarn"  # sglang/srt/models/deepseek_v2.py
        if getattr(config, "original_max_position_embeddings", None):  # sglang/srt/models/llama.py
            parameters["original_max_position_embeddings"] = config.original_max_position_embeddings
        width = head_dim_of(config)
        rope = get_rope(width, width, config.max_position_embeddings, parameters.get("rope_theta", 10000), True,
                        parameters, torch.float32)
        if hasattr(rope, "long_short_cos_sin_cache"):
            original = rope.original_max_position_embeddings
            return halves(rope.long_short_cos_sin_cache, 1 + (original if seq_len - 1 > original else 0))
        return halves(rope.cos_sin_cache, 1)

    return run


def genai(sources):
    package = "onnxruntime_genai.models"
    roots = {"onnxruntime_genai", "onnx", "onnx_ir", "onnxruntime"}
    folder = f"{sources}/onnxruntime_genai/models"
    sys.meta_path.insert(0, StandIns(roots, [package + ".builders"]))
    import importlib.util
    outer = types.ModuleType(package + ".builders")
    outer.__path__ = [folder + "/builders"]
    sys.modules[package + ".builders"] = outer
    classes = {"llama": ("llama", "LlamaModel"), "mistral": ("mistral", "MistralModel"), "qwen2": ("qwen", "QwenModel"),
               "qwen3": ("qwen", "Qwen3Model"), "gemma": ("gemma", "GemmaModel"), "granite": ("granite", "GraniteModel"),
               "phi3": ("phi", "Phi3MiniLongRoPEModel"), "gpt_oss": ("gptoss", "GPTOSSModel"),
               "smollm3": ("smollm", "SmolLM3Model"), "nemotron": ("nemotron", "NemotronModel"),
               "olmo": ("olmo", "OLMoModel"), "phi": ("phi", "PhiModel")}

    def run(json_config, seq_len):
        config = config_of(json_config)
        if json_config["model_type"] not in classes:
            raise NotImplementedError("the builder has no class for this model type")
        file, name = classes[json_config["model_type"]]
        kind = getattr(importlib.import_module(f"{package}.builders.{file}"), name)
        base = sys.modules[package + ".builders.base"].Model
        with open(f"{folder}/builders/base.py") as f:
            text = f.read()
        model = kind.__new__(kind)
        config_params = base.get_rope_parameters(model, config)
        # The statements of Model.__init__ that read the configuration.
        begin = text.index("        self.context_length = ")
        first = text[begin:text.index("        self.window_size = ")]
        begin = text.index("        # RoPE-specific variables")
        second = text[begin:text.index("        # Attention-specific variables")]
        import textwrap
        module = sys.modules[package + ".builders.base"]
        scope = dict(vars(module))
        scope.update(self=model, config=config)
        model.head_size = head_dim_of(config)
        exec(textwrap.dedent(first), scope)
        exec(textwrap.dedent(second), scope)
        if "multi_cache" in model.rope_attrs:
            kind_of = "long" if seq_len > model.original_context_length else "short"
            model.rope_attrs["rescale_factors"] = model.rope_attrs["multi_cache"][kind_of + "_factor"]
            model.rope_attrs["mscale"] = model.rope_attrs["multi_cache"][kind_of + "_mscale"]
        model.rope_attrs["cache_length"] = 2
        cos, sin = model.make_rotary_embedding_caches_from_scratch()
        half = cos.shape[-1] // 2
        return first_row(cos[1, :half], sin[1, :half])

    return run


def mlx_lm(sources):
    import importlib.util
    import mlx.core as mx
    spec = importlib.util.spec_from_file_location("rope_utils", f"{sources}/mlx_lm/models/rope_utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(json_config, seq_len):
        width = json_config.get("qk_rope_head_dim") or json_config["hidden_size"] // json_config["num_attention_heads"]
        # As mlx_lm/models/llama.py: the 4.x keys, read from the file itself.
        base = json_config.get("rope_theta", 10000)
        scaling = json_config.get("rope_scaling")
        rope = module.initialize_rope(width, base, False, scaling, json_config.get("max_position_embeddings"))
        x = mx.zeros((1, 1, 1, width))
        x[..., : width // 2] = 1.0
        # A unit vector per pair, at position 1: cos in the first half, sin in the second.
        y = rope(x, offset=1)[0, 0, 0]
        row = [float(v) for v in y]
        return first_row(row[: width // 2], row[width // 2:])

    return run


def transformers_4(sources):
    import importlib

    def run(json_config, seq_len):
        import inspect, torch, transformers
        assert transformers.__version__.startswith("4.57"), transformers.__version__
        whole = config_of(json_config)
        model_type = whole.model_type
        names = transformers.models.auto.modeling_auto.MODEL_MAPPING_NAMES
        kind = names.get(model_type) or names[json_config["model_type"]]
        kind = kind[0] if isinstance(kind, (list, tuple)) else kind
        config_class = type(whole)
        module = importlib.import_module(config_class.__module__.replace("configuration_", "modeling_"))
        found = [c for n, c in vars(module).items() if inspect.isclass(c) and n.endswith("RotaryEmbedding")
                 and c.__module__ == module.__name__ and "Vision" not in n and "Audio" not in n]
        if len(found) != 1 or "config" not in inspect.signature(found[0].__init__).parameters:
            return None  # a class of another shape: not tried
        rope = found[0](config=whole)
        update = getattr(rope, "forward")
        x = torch.zeros(1, 1)
        if getattr(rope, "rope_type", "default") in ("dynamic", "longrope"):
            position = torch.arange(max(1, seq_len))[None]
            update(x, position)
        return [float(v) for v in rope.inv_freq], float(getattr(rope, "attention_scaling", 1.0))

    return run


def merge(files):
    tables, lines = {}, {}
    for file in files:
        engine = os.path.basename(file).removesuffix(".jsonl")
        with open(file) as f:
            for answer in map(json.loads, f):
                line = lines.setdefault((answer["id"], answer["seq_len"]), {})
                if "fails" in answer:
                    line[engine] = answer["fails"]
                    continue
                inv_freq = tuple(float("%.7g" % x) for x in answer["inv_freq"])
                if inv_freq not in tables:
                    tables[inv_freq] = len(tables)
                    print(json.dumps({"table": tables[inv_freq], "inv_freq": inv_freq}, separators=(",", ":")))
                line[engine] = [tables[inv_freq], answer["factor"]]
    for (case, seq_len), answers in lines.items():
        print(json.dumps({"id": case, "seq_len": seq_len, "answers": answers}, separators=(",", ":")))


def main():
    if sys.argv[1] == "merge":
        return merge(sys.argv[2:])
    engines = {"vllm": vllm, "sglang": sglang, "onnxruntime-genai": genai, "mlx-lm": mlx_lm,
               "transformers-4": transformers_4}
    run = engines[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "")
    for line in sys.stdin:
        case = json.loads(line)
        if sys.argv[1] not in case.get("engines", engines):
            continue
        for seq_len in case.get("seq_lens", [0]):
            out = {"id": case["id"], "seq_len": seq_len}
            try: 
                answer = run(case["config"], seq_len)
                if answer is None:
                    continue
                inv_freq, factor = answer
                out["inv_freq"] = [float("%.8g" % x) for x in inv_freq]
                out["factor"] = float("%.8g" % factor)
            except Exception as error:  # whatever the engine raises is its answer
                out["fails"] = f"{type(error).__name__}: {error}"[:200]
            print(json.dumps(out, separators=(",", ":")))


main()
