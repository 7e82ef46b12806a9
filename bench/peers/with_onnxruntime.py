"""onnxruntime: com.microsoft.RotaryEmbedding on tensors that are bound once. It has no bfloat16."""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from contest import DTYPES, ROUNDED_OFTEN, Contender

ELEMENT = {"float32": onnx.TensorProto.FLOAT, "float16": onnx.TensorProto.FLOAT16}
DOMAIN = "com.microsoft"


def session(case, inputs, threads):
    element = ELEMENT[case.dtype]
    node = helper.make_node("RotaryEmbedding", list(inputs), ["output"], domain=DOMAIN,
                            interleaved=int(case.pairing == "interleaved"))
    infos = [helper.make_tensor_value_info(name, onnx.TensorProto.INT64 if name == "position_ids" else element, x.shape)
             for name, x in inputs.items()]
    out = [helper.make_tensor_value_info("output", element, inputs["input"].shape)]
    graph = helper.make_graph([node], "rotation", infos, out)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)],
                              ir_version=10)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def contenders(case, build, threads):
    del build
    if case.dtype not in ELEMENT:
        return []
    dtype = DTYPES[case.dtype]
    # The operator takes rows 0, 1, ... of its caches: the positions of the case are rows of a shorter table.
    inputs = {"input": case.input().reshape(1, case.tokens, -1), "position_ids": np.arange(case.tokens)[None],
              "cos_cache": np.cos(case.angles()).astype(dtype), "sin_cache": np.sin(case.angles()).astype(dtype)}
    run_session = session(case, inputs, threads)
    binding = run_session.io_binding()
    values = {name: ort.OrtValue.ortvalue_from_numpy(x) for name, x in inputs.items()}
    values["output"] = ort.OrtValue.ortvalue_from_numpy(np.zeros_like(inputs["input"]))
    for name in inputs:
        binding.bind_ortvalue_input(name, values[name])
    binding.bind_ortvalue_output("output", values["output"])

    def run(n):
        for _ in range(n):
            run_session.run_with_iobinding(binding)

    return [Contender("onnxruntime", False, run, lambda: values["output"].numpy(), ROUNDED_OFTEN[case.dtype])]
