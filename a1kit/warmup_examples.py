"""What the micro models learn from before they play: a tokenizer, and examples written by the micro world itself.

    code   <q>question<c>            ->  a program drawn with the world's weights, so often wrong      <eos>
    tests  <q>question<c>program<t>  ->  four assertions about it, as a careless person writes them    <eos>

The Test LLM's warm-up is supervised as in the paper (Paper §4.1): the prompt holds the question and a candidate, the
target a suite. In a share of its examples the program is left out (`<q>question<c><t>`), which is the prompt of the
black-box variants. Suites have exactly `SUITE_SIZE` tests, because a model this small cannot follow a number in the
prompt; training with another K than this one is possible but asks the model for what it never wrote.

Only training questions are used; nothing here sees a held-out composition.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from a1kit.problems import micro

PAD, EOS, QUESTION, CODE, TESTS = "<pad>", "<eos>", "<q>", "<c>", "<t>"
SPECIAL_TOKENS = (PAD, EOS, QUESTION, CODE, TESTS)
SUITE_SIZE = 4
NUMBERS = range(-64, 251)
"""Integers that are one token each: every input and answer of the micro world but the rarest."""

_PIECES = Regex(
    r"Write f\(xs\): "  # phrases of questions,
    r"|def f\(xs\):|\n    ys = \[| for x in xs|\n    if not ys:|\n +return "  # of programs,
    r"|\n?assert f\(\[|\]\) == "  # and of tests
    r"|\n *"  # a line end with its indentation
    r"|, "
    r"| [^A-Za-z0-9\s-]+ "  # an operator with its spaces
    r"|-?[0-9]+"  # a whole integer
    r"| ?[A-Za-z]+"
    r"| ?-"
    r"|[^A-Za-z0-9\s-]+"
    r"| "
)


@dataclass(frozen=True, slots=True)
class SuiteStyle:
    """How an imitated author picks inputs and answers. All shares are probabilities of a test.

    edge        the input is an edge case (empty, zero, repeats, negatives) and not a bland one (few small positives)
    aimed       the input is one on which the shown program is wrong
    believing   the answer is what the shown program returns
    slips       the answer is off by one
    """

    edge: float
    aimed: float
    believing: float
    slips: float


@dataclass(frozen=True, slots=True)
class Example:
    """Token numbers of one example; the loss counts those from `prompt_length` on."""

    ids: list[int]
    prompt_length: int


def bland_input(rng: random.Random) -> tuple[int, ...]:
    """One to three different small positive numbers: what comes to mind first."""
    return tuple(rng.sample(range(1, 8), rng.choice((1, 2, 2, 3, 3))))


def edge_input(rng: random.Random) -> tuple[int, ...]:
    """Empty, or up to three numbers of either sign, often with a zero, a repeat, or all negative."""
    kind = rng.random()
    if kind < 0.2:
        return ()
    xs = [rng.randint(-6, 6) for _ in range(rng.choice((1, 2, 2, 3, 3)))]
    if kind < 0.4:
        xs[rng.randrange(len(xs))] = 0
    elif kind < 0.6 and len(xs) > 1:
        xs[1] = xs[0]
    elif kind < 0.8:
        xs = [-abs(x) for x in xs]
    return tuple(xs)


def draw_suite(recipe: micro.Recipe, code: str, rng: random.Random, size: int, style: SuiteStyle) -> str:
    """`size` different assertions about `code`, one a line. `code` must come from `micro.program`."""
    reference = micro.program(recipe)
    inputs: list[tuple[int, ...]] = []
    while len(inputs) < size:
        xs = _aimed_input(reference, code, rng) if rng.random() < style.aimed else None
        if xs is None:
            xs = edge_input(rng) if rng.random() < style.edge else bland_input(rng)
        if xs not in inputs:
            inputs.append(xs)
    return "\n".join(f"assert f({list(xs)}) == {_answer(reference, code, xs, rng, style)}" for xs in inputs)


def _aimed_input(reference: str, code: str, rng: random.Random) -> tuple[int, ...] | None:
    for _ in range(12):
        xs = edge_input(rng)
        if micro.evaluate(code, xs) != micro.evaluate(reference, xs):
            return xs
    return None


def _answer(reference: str, code: str, xs: tuple[int, ...], rng: random.Random, style: SuiteStyle) -> int:
    right = micro.evaluate(reference, xs)
    assert right is not None, f"the reference of the micro world raises on {xs}"
    kind = rng.random()
    if kind < style.believing:
        shown = micro.evaluate(code, xs)
        return right if shown is None else shown
    if kind < style.believing + style.slips:
        return right + rng.choice((-1, 1))
    return right


def train_tokenizer(seed: int = 0) -> PreTrainedTokenizerFast:
    """A byte-level BPE for the micro world, in which integers and fixed phrases are single tokens."""
    rng = random.Random(seed)
    style = SuiteStyle(edge=0.5, aimed=0.0, believing=0.0, slips=0.0)
    corpus = []
    for recipe in micro.split()[0] * 8:
        code = micro.draw_program(recipe, rng)
        corpus += [micro.describe(recipe), code, draw_suite(recipe, code, rng, SUITE_SIZE, style)]
    corpus += [str(number) for number in NUMBERS] * 3
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(_PIECES, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
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


class ExampleWriter:
    """Writes examples of one kind, forever, from a seed. Prompts are tokenised once a question and program."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, rng: random.Random) -> None:
        self._backend: Tokenizer = tokenizer.backend_tokenizer
        self._rng = rng
        self._cache: dict[str, list[int]] = {}
        self._end = self.encode(EOS)

    def encode(self, text: str) -> list[int]:
        """Token numbers of `text`; special tokens may be spelt out in it."""
        if text not in self._cache:
            self._cache[text] = list(self._backend.encode(text, add_special_tokens=False).ids)
        return self._cache[text]

    def code(self) -> Iterator[Example]:
        """Question -> program."""
        while True:
            recipe = self._rng.choice(micro.split()[0])
            program = micro.draw_program(recipe, self._rng)
            prompt = self.encode(QUESTION + micro.describe(recipe) + CODE)
            yield Example(prompt + self.encode(program) + self._end, len(prompt))

    def tests(self, size: int, hidden: float, style: SuiteStyle) -> Iterator[Example]:
        """Question and program -> suite; the program is left out in a share `hidden` of the examples."""
        while True:
            recipe = self._rng.choice(micro.split()[0])
            program = micro.draw_program(recipe, self._rng)
            shown = "" if self._rng.random() < hidden else program
            prompt = self.encode(QUESTION + micro.describe(recipe) + CODE) + self.encode(shown) + self.encode(TESTS)
            suite = draw_suite(recipe, program, self._rng, size, style)
            yield Example(prompt + self._backend.encode(suite, add_special_tokens=False).ids + self._end, len(prompt))
