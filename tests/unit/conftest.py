"""A language model of a few thousand weights and a tokenizer of whole words, for tests of the policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

VOCABULARY = 64


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny tensors are slower on several threads, and other tests run beside this one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def make_words() -> Callable[..., Any]:
    """make_words(chat_template=None) -> a tokenizer: token i is the word w<i>; 0, 1, 2 are padding, end and unknown."""

    def make(chat_template: str | None = None) -> Any:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        special = {"<pad>": 0, "<end>": 1, "<unk>": 2}
        words = Tokenizer(models.WordLevel(special | {f"w{i}": i for i in range(3, VOCABULARY)}, unk_token="<unk>"))
        words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        words.decoder = decoders.Fuse()
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=words, pad_token="<pad>", eos_token="<end>", unk_token="<unk>"
        )
        tokenizer.chat_template = chat_template
        return tokenizer

    return make


@pytest.fixture(scope="session")
def make_model() -> Callable[..., Any]:
    """make_model(kv_heads=2, seed=0) -> a Qwen2 model of two layers. Its first weights are large, so that what it
    writes depends strongly on what it has read."""

    def make(kv_heads: int = 2, seed: int = 0) -> Any:
        import torch
        from transformers import Qwen2Config, Qwen2ForCausalLM

        shape = Qwen2Config(
            vocab_size=VOCABULARY,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=kv_heads,
            max_position_embeddings=96,
            tie_word_embeddings=True,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=None,
            initializer_range=0.3,
        )
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return Qwen2ForCausalLM(shape).eval()

    return make
