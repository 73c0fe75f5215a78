"""Examples that a warm-up learns from, and the tokenizer they are written in.

    code   <q>question<c>            ->  a program drawn with the world's weights, so often wrong      <eos>
    tests  <q>question<c>program<t>  ->  assertions about it, as a careless person writes them         <eos>

The Test LLM's warm-up is supervised as in the paper (Paper §4.1): the prompt holds the question and a candidate, the
target a suite. In a share of its examples the program is left out (`<q>question<c><t>`), which is the prompt of the
black-box variants.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

PAD, EOS, QUESTION, CODE, TESTS = "<pad>", "<eos>", "<q>", "<c>", "<t>"
SPECIAL_TOKENS = (PAD, EOS, QUESTION, CODE, TESTS)


@dataclass(frozen=True, slots=True)
class Example:
    """Token numbers of one example; the loss counts those from `prompt_length` on."""

    ids: list[int]
    prompt_length: int


Author = Callable[[random.Random], tuple[str, str]]
"""Writes one example: its prompt with marks, and what is to follow. Kept picklable: warm-ups run in other processes."""


class ExampleWriter:
    """Turns what an author writes into token numbers, forever, from a seed."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, rng: random.Random) -> None:
        self._backend: Tokenizer = tokenizer.backend_tokenizer
        self._rng = rng
        self._end = self.encode(EOS)

    def encode(self, text: str) -> list[int]:
        """Token numbers of `text`; special tokens may be spelt out in it."""
        return list(self._backend.encode(text, add_special_tokens=False).ids)

    def examples(self, author: Author) -> Iterator[Example]:
        """One after the other."""
        while True:
            prompt, target = author(self._rng)
            ids = self.encode(prompt)
            yield Example(ids + self.encode(target) + self._end, len(ids))


def train_tokenizer(pieces: str, corpus: Iterable[str]) -> PreTrainedTokenizerFast:
    """A byte-level BPE in which nothing is merged across the `pieces` (a regular expression) a text is cut into."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pieces), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,
        min_frequency=2,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=EOS,
        additional_special_tokens=[QUESTION, CODE, TESTS],
        clean_up_tokenization_spaces=False,
        padding_side="left",
        model_max_length=512,
    )


def number_tokens(tokenizer: PreTrainedTokenizerFast) -> dict[int, int]:
    """Token number -> the integer it spells, for all tokens that spell one."""
    found = {}
    for text, number in tokenizer.get_vocab().items():
        if re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
            found[number] = int(text)
    return found
