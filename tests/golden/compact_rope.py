#!/usr/bin/env python3
"""Makes the compact golden rotations of tests/golden/rope from the full records.

    compact_rope.py OUT INPUT... [--skip ID]...

INPUT is a file of records or a folder searched for them, in the form that the golden data set describes in its FORMAT.md
(models/, published/ and scaling.json). Every record was recorded by running transformers 5.24.0: unit vectors went through
the model's own attention code. Nothing here is computed from a configuration: rules are fitted to the recorded numbers and
written only where they give the same float32 numbers back (tests/golden/rope/README.md describes the files).
"""
import argparse, collections, json, math, os, re, struct

# What a reader could need: dimensions, layers, positions, rotation. Everything else (tokens, activations, dropout,
# generation, experts ...) is left out of the configurations.
KEPT = re.compile(
    r"rope|rotary|theta|position|alibi|(^|_)heads?(_|$)|head_dim|headdim|layers?(_|$)|layer_types|block_types?$|window|pattern"
    r"|^(model_type|hidden_size|embed_dim|embedding_dim|d_model|dim|depth|width|kv_channels|n_embd|n_head|n_ctx|n_layer)$"
    r"|hidden_size$|_dim$|indices|idxs|interval|every_n|group_size|downsample_rate|scale$|temperature|multiplier$|attn_type"
    r"|pre_attn_scalar|max_seq_len|seq_length|model_max_length|indexer|compress|lora_rank|emb_layer_norm_before"
    r"|token_dropout|mask_token_id|num_blocks|use_mem|logn|ntk|base_freq|no_rope|axis|section|image_size|patch_size|merge_size")
DROPPED = re.compile(
    r"token_id$|_bias|dropout_|dropout$|_pdrop|_std$|mlp_layer_types|mtp_|conv|codebook|vocab|intermediate|ffn|expert|moe"
    r"|mask_time|mask_feature|output_hidden|return_dict|adapter|embedding_multiplier|residual|logits|norm_|mamba|ssm")
NEEDED = {"emb_layer_norm_before", "mask_token_id", "token_dropout", "q_lora_rank", "layer_types"}
WHOLE = {"rope_parameters", "rope_scaling", "per_layer_config"}
LARGEST_ULPS = 5  # 3e-7


def stripped(config, inside_layers=False):
    out = {}
    for key, value in config.items():
        if key in WHOLE or not isinstance(value, dict):
            wanted = key in NEEDED or key in WHOLE or (KEPT.search(key) and not DROPPED.search(key))
            if wanted and not (isinstance(value, list) and value and isinstance(value[0], (dict, list))):
                out[key] = value
        elif key not in ("id2label", "label2id"):
            inner = stripped(value)
            if inner or key.endswith("_config"):
                out[key] = inner
    return out


def bits(x):
    return struct.unpack("<i", struct.pack("<f", x))[0]


def ulps(got, rule):
    """Float32 steps from the rule to the number, for numbers of one sign."""
    if (got < 0) != (rule < 0) or not math.isfinite(rule):
        return None
    return bits(abs(got)) - bits(abs(rule))


def numbers_of(config):
    """Numbers of a configuration that can be bases or factors, by name."""
    bases, factors = {10000.0}, {1.0}
    stack = [config]
    while stack:
        for key, value in stack.pop().items():
            if isinstance(value, dict):
                stack.append(value)
            for x in value if isinstance(value, list) else [value]:
                if isinstance(x, bool) or not isinstance(x, (int, float)) or x <= 0:
                    continue
                if re.search("theta|base", key) and x != 1:
                    bases.add(float(x))
                if key == "factor":
                    factors.add(1.0 / x)
    return bases, factors | {2 * math.pi, -1.0}


def fitted(values, bases, widths, factors):
    """(base, width, times, exponent indices, steps) that give the numbers back, or None."""
    for times in factors:
        if times * values[0] <= 0:
            continue
        for base in bases:
            for width in widths:
                k = [round(-math.log(v / times) * width / (2 * math.log(base)), 3) for v in values]
                if any(abs(x - round(x)) > 0.02 for x in k):
                    continue
                k = [round(x) for x in k]
                steps = [ulps(v, times * base ** (-2.0 * i / width)) for v, i in zip(values, k)]
                if all(s is not None and abs(s) <= LARGEST_ULPS for s in steps):
                    return base, width, times, k, steps
    return None


def steps_text(steps):
    """'0' none, 'a' one up, 'A' one down, ...; empty if there are none."""
    letters = "".join("0" if s == 0 else chr(ord("a" if s > 0 else "A") + abs(s) - 1) for s in steps)
    return letters if any(steps) else ""


def progressions(rows):
    """Cuts rows of integers into runs of constant first differences: [(begin, end)]."""
    out, begin = [], 0
    while begin < len(rows):
        end = begin + 1
        if end < len(rows):
            step = [y - x for x, y in zip(rows[begin], rows[end])]
            while end < len(rows) and [y - x for x, y in zip(rows[end - 1], rows[end])] == step:
                end += 1
            if end - begin == 2 and end < len(rows):
                end -= 1  # a run of two is no run
        out.append((begin, end))
        begin = end
    return out


def block(places, k, rule, steps, values, axis):
    first = places[0]
    out = {"a": first[0], "b": first[1], "count": len(places), "axis": axis}
    if len(places) > 1 and places[1][0] - first[0] != 1:
        out["step"] = places[1][0] - first[0]
    if len(first) == 4:
        out["out"] = [first[2], first[3], places[1][2] - first[2] if len(places) > 1 else 1]
    if rule is None:
        return {**out, "values": values}
    out.update(base=rule[0], width=rule[1])
    if rule[2] != 1:
        out["times"] = rule[2]
    if k[0]:
        out["k"] = k[0]
    if len(k) > 1 and k[1] - k[0] != 1:
        out["k_step"] = k[1] - k[0]
    if steps_text(steps):
        out["ulps"] = steps_text(steps)
    return out


def blocks_of_axis(pairs, axis, fits):
    """Blocks of the pairs [a, b, inv_freq, (c, d)] of one axis."""
    values, places = [p[2] for p in pairs], [p[:2] + p[3] for p in pairs]
    rule = fitted(values, *fits)
    k = rule[3] if rule else [0] * len(pairs)
    steps = rule[4] if rule else k
    out = []
    for begin, end in progressions([p + [i] for p, i in zip(places, k)]):
        cut = slice(begin, end)
        out.append(block(places[cut], k[cut], rule, steps[cut], values[cut], axis))
    return out


def pairs_of(record, config):
    """The pairs as blocks, or as they were recorded where that is shorter."""
    pairs = record["pairs"]
    if not pairs or any(isinstance(p[2], list) for p in pairs):
        return {"pairs": pairs, **({"out_pairs": record["out_pairs"]} if record.get("out_pairs") else {})}
    bases, factors = numbers_of(config)
    widths = {record["rotary_dim"], record["head_dim"], 2 * len(pairs)}
    widths |= {w // n for w in list(widths) for n in (2, 3, 4)}
    fits = (sorted(bases), sorted((w for w in widths if w > 1), reverse=True), sorted(factors, reverse=True))
    outs = record.get("out_pairs") or [[]] * len(pairs)
    by_axis = collections.OrderedDict()
    for pair, out in zip(pairs, outs):
        by_axis.setdefault(pair[3], []).append(pair[:3] + [out])
    blocks = [b for axis, members in by_axis.items() for b in blocks_of_axis(members, axis, fits)]
    if sum(len(json.dumps(b)) for b in blocks) < len(json.dumps(pairs)):
        return {"blocks": blocks}
    return {"pairs": pairs, **({"out_pairs": record["out_pairs"]} if record.get("out_pairs") else {})}


def at_length(entry, record):
    out = {"seq_len": entry["seq_len"], "attention_factor": entry["attention_factor"]}
    values = entry["inv_freq"]
    if values == [p[2] for p in record["pairs"]]:
        return out  # as without a length
    count = len(values)
    base = values[-1] ** (-count / (count - 1.0)) if count > 1 and values[-1] > 0 else 0
    rule = fitted(values, [base], [2 * count], [1.0]) if base > 1 else None
    if rule and rule[3] == list(range(count)):
        return {**out, "base": base, "ulps": steps_text(rule[4])}
    return {**out, "values": values}


def compact(record, config):
    out = {"record": record["id"]}
    if record.get("component") is not None:
        out["component"] = record["component"]
    if isinstance(record.get("layers"), list):
        out["layers"] = runs(record["layers"])
    if record.get("no_rotation"):
        return {**out, "no_rotation": True}
    if record["pairs"] is None:
        return {**out, "pairs": None}
    for key in ("head_dim", "rotary_dim", "attention_factor", "input_scale", "softmax_factor"):
        if key in record and not (key in ("attention_factor", "input_scale") and record[key] == 1):
            out[key] = record[key]
    if record.get("inv_freq_source") != "buffer":
        out["measured"] = True
    out.update(pairs_of(record, config))
    if record.get("at_seq_len"):
        out["at_seq_len"] = [at_length(entry, record) for entry in record["at_seq_len"]]
    return out


def runs(indices):
    """[[first, last, step], ...]"""
    return [[indices[b], indices[e - 1], indices[b + 1] - indices[b] if e - b > 1 else 1]
            for b, e in progressions([[i] for i in indices])]


def groups(path):
    """Yields (kind, configuration, its name, records) of one file."""
    data, stem = json.load(open(path)), os.path.splitext(os.path.basename(path))[0]
    for record in data.get("cases", []):
        if "configs" in data:
            yield "models", data["configs"][record["config"]], "%s/%s" % (stem, record["config"]), record
        elif "fields" in data:
            fields = data["fields"][record["variant"]] if record.get("variant") else data["fields"]
            yield "published", {"model_type": record["model_type"], **fields}, stem, record
        else:
            yield "scaling", record["config"], record["id"], record


def files_in(inputs):
    for path in inputs:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".json"))


def write(path, members):
    """One line per configuration, followed by one line per record of it."""
    with open(path, "w") as out:
        for text, (name, records) in members.items():
            out.write('{"config": %s, "json": %s}\n' % (json.dumps(name), text))
            for record in records:
                out.write(json.dumps(record, separators=(",", ":")).replace('{"record":', '{"record": ', 1) + "\n")


def write_malformed(path, entries):
    """Configurations that make no sense, with what transformers 5.24.0 makes of them."""
    with open(path, "w") as out:
        for entry in entries:
            short = {k: entry[k] for k in ("id", "outcome", "config")}
            out.write(json.dumps(short, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--skip", action="append", default=[], help="id of a record to leave out")
    args = parser.parse_args()
    kinds, used = collections.defaultdict(collections.OrderedDict), collections.Counter()
    for path in files_in(args.inputs):
        for kind, config, name, record in groups(path):
            if record["id"] in args.skip:
                continue
            short = stripped(config)
            text = json.dumps(short, separators=(",", ":"))
            used[kind, record["id"]] += 1
            if used[kind, record["id"]] > 1:
                record["id"] += "#%d" % used[kind, record["id"]]
            kinds[kind].setdefault(text, (name, []))[1].append(compact(record, config))
        malformed = json.load(open(path)).get("malformed")
        if malformed:
            write_malformed(os.path.join(args.out, "malformed.jsonl"), malformed)
    for kind, members in kinds.items():
        write(os.path.join(args.out, kind + ".jsonl"), members)


if __name__ == "__main__":
    main()
