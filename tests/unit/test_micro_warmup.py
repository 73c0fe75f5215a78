"""The warm-up of the micro models, short of training one: tokenizer, examples, optimizer, what is written."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from a1kit import warmup  # noqa: E402
from a1kit.parsing import parse_tests  # noqa: E402
from a1kit.problems import micro  # noqa: E402
from a1kit.prompts import PromptStyle, code_prompt, test_prompt  # noqa: E402
from a1kit.warmup.examples import SPECIAL_TOKENS, ExampleWriter, number_tokens  # noqa: E402
from a1kit.warmup.micro import (  # noqa: E402
    COURSE,
    NUMBERS,
    SUITE_SIZE,
    SuiteStyle,
    bland_input,
    draw_suite,
    edge_input,
    write_code,
    write_tests,
)

pytestmark = pytest.mark.train

HONEST = SuiteStyle(edge=0.3, aimed=0.2, believing=0.0, slips=0.0)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return COURSE.tokenizer()


def test_whole_integers_and_the_head_of_a_test_are_single_tokens(tokenizer: Any) -> None:
    for number in NUMBERS:
        assert len(tokenizer.encode(str(number))) == 1
        assert tokenizer.tokenize(f"assert f([{number}, 2]) == {number}")[1] == str(number)
    assert len(tokenizer.tokenize("assert f([")) == 1
    assert sorted(number_tokens(tokenizer).values()) == sorted(NUMBERS)


def test_special_tokens_come_first_and_are_not_text(tokenizer: Any) -> None:
    assert tuple(tokenizer.convert_ids_to_tokens(range(5))) == SPECIAL_TOKENS
    assert tokenizer.decode(tokenizer.encode("<q>ab<c>cd<t>ef<eos>"), skip_special_tokens=True) == "abcdef"


def test_everything_the_world_writes_survives_the_tokenizer(tokenizer: Any) -> None:
    rng = random.Random(1)
    for recipe in micro.recipes()[::3]:
        code = micro.draw_program(recipe, rng)
        for text in (micro.describe(recipe), code, draw_suite(recipe, code, rng, 6, HONEST)):
            assert tokenizer.decode(tokenizer.encode(text)) == text


def test_any_text_at_all_survives_the_tokenizer(tokenizer: Any) -> None:
    for text in ("def g(α):\n\treturn 'ünïcödé' * 10_000\n", "assert f([999999]) == -12345", "  \n\n x\r\n", "🙂"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_the_tokenizer_is_the_same_every_time(tokenizer: Any) -> None:
    assert COURSE.tokenizer().backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()


def test_prompts_of_the_kit_are_tokenised_as_those_of_the_warm_up(tokenizer: Any) -> None:
    recipe = micro.split()[0][5]
    question, code = micro.to_question(recipe), micro.program(recipe)
    writer = ExampleWriter(tokenizer, random.Random(0))
    whole = tokenizer(code_prompt(question, PromptStyle.MICRO)).input_ids
    assert whole == writer.encode("<q>" + micro.describe(recipe) + "<c>")
    whole = tokenizer(test_prompt(question, code, SUITE_SIZE, PromptStyle.MICRO)).input_ids
    assert whole == [
        *writer.encode("<q>" + micro.describe(recipe) + "<c>"),
        *writer.encode(code),
        *writer.encode("<t>"),
    ]


def test_code_examples_end_after_a_program_about_a_training_question(tokenizer: Any) -> None:
    train = {micro.describe(recipe) for recipe in micro.split()[0]}
    for example in islice(ExampleWriter(tokenizer, random.Random(0)).examples(write_code), 50):
        prompt = tokenizer.decode(example.ids[: example.prompt_length])
        assert prompt.removeprefix("<q>").removesuffix("<c>") in train
        assert tokenizer.decode(example.ids[example.prompt_length :]).startswith("def f(xs):\n")
        assert example.ids[-1] == tokenizer.eos_token_id


def test_suites_hold_as_many_tests_as_asked_all_different_and_all_right_when_honest(tokenizer: Any) -> None:
    rng = random.Random(2)
    for recipe in micro.split()[0][:30]:
        text = draw_suite(recipe, micro.draw_program(recipe, rng), rng, SUITE_SIZE, HONEST)
        tests = parse_tests(text, "f")
        assert len({test.key for test in tests}) == len(tests) == SUITE_SIZE
        namespace: dict[str, Any] = {}
        exec(micro.program(recipe) + "\n" + text, namespace)


def test_careless_suites_are_wrong_now_and_then() -> None:
    rng = random.Random(3)
    careless = SuiteStyle(edge=0.3, aimed=0.2, believing=0.1, slips=0.1)
    wrong = 0
    for recipe in micro.split()[0][:100]:
        text = draw_suite(recipe, micro.program(recipe), rng, 4, careless)
        for line in text.splitlines():
            try:
                exec(micro.program(recipe) + "\n" + line, {})
            except AssertionError:
                wrong += 1
    assert 20 < wrong < 65  # of 400, a tenth expected


def test_the_program_is_hidden_in_the_share_of_examples_that_was_asked_for(tokenizer: Any) -> None:
    author = partial(write_tests, size=4, hidden=0.4, style=HONEST)
    examples = islice(ExampleWriter(tokenizer, random.Random(0)).examples(author), 300)
    prompts = [tokenizer.decode(example.ids[: example.prompt_length]) for example in examples]
    assert 90 < sum(prompt.endswith("<c><t>") for prompt in prompts) < 150


def test_aimed_tests_kill_the_program_that_is_shown() -> None:
    rng = random.Random(4)
    aimed = SuiteStyle(edge=0.0, aimed=1.0, believing=0.0, slips=0.0)
    recipe = next(r for r in micro.split()[0] if r.id.startswith("micro/positive") and r.reduction.name == "distinct")
    code = micro.program(recipe, micro.Choice(filter=1, reduction=1))
    text = draw_suite(recipe, code, rng, 4, aimed)
    failed = 0
    for line in text.splitlines():
        try:
            exec(code + "\n" + line, {})
        except AssertionError:
            failed += 1
    assert failed == 4


def test_bland_inputs_are_positive_and_edge_inputs_are_everything_else_too() -> None:
    rng = random.Random(5)
    bland = [bland_input(rng) for _ in range(300)]
    assert all(xs and min(xs) > 0 and len(set(xs)) == len(xs) for xs in bland)
    edge = Counter()
    for xs in (edge_input(rng) for _ in range(300)):
        edge["empty"] += not xs
        edge["zero"] += 0 in xs
        edge["repeat"] += len(set(xs)) < len(xs)
        edge["negative"] += bool(xs) and max(xs) < 0
    assert min(edge.values()) > 20


def test_rates_rise_hold_and_fall() -> None:
    schedule = warmup.Schedule((warmup.Stage(100, write_code), warmup.Stage(100, write_code)), rise=10, fall=0.5)
    assert schedule.steps == 200
    assert [schedule.rate(step) for step in (0, 9, 50, 99)] == [pytest.approx(0.1), 1.0, 1.0, 1.0]
    assert schedule.rate(150) == pytest.approx(0.5)
    assert schedule.rate(199) == pytest.approx(0.01)
    assert schedule.scaled(0.1).steps == 20


def test_orthogonalised_matrices_keep_their_directions_and_lose_their_scale() -> None:
    torch.manual_seed(0)
    matrices = torch.randn(2, 24, 10) * torch.logspace(0, -1, 10)
    values = torch.linalg.svdvals(warmup.orthogonalised(matrices))
    assert float(values.min()) > 0.5 and float(values.max()) < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    aligned = left.transpose(1, 2) @ warmup.orthogonalised(matrices) @ right.transpose(1, 2)
    assert float((aligned - torch.diag_embed(aligned.diagonal(dim1=1, dim2=2))).abs().max()) < 0.02


def test_number_tokens_start_near_the_numbers_they_are_near(tokenizer: Any) -> None:
    weight = warmup.new_model(COURSE, tokenizer, 0).model.embed_tokens.weight.detach()
    token = {number: token for token, number in number_tokens(tokenizer).items()}

    def distance(a: int, b: int) -> float:
        return float((weight[token[a], :27] - weight[token[b], :27]).norm())

    assert distance(20, 21) < distance(20, 60)
    assert distance(3, -3) > 0.01


def few_steps(tokenizer: Any, kind: warmup.Kind, seed: int) -> tuple[list[float], dict[str, Any]]:
    author = write_code if kind == "code" else partial(write_tests, size=2, hidden=0.5, style=HONEST)
    schedule = warmup.Schedule((warmup.Stage(3, author, batch=4),), rise=1)
    said: list[float] = []
    trainer = warmup.Trainer(COURSE, kind, tokenizer, seed, schedule)
    before = {name: weight.clone() for name, weight in trainer.model.named_parameters()}
    trainer.run(lambda progress: said.append(progress.loss), every=1)
    after = dict(trainer.model.named_parameters())
    assert all(not torch.equal(before[name], after[name]) for name in before), "a parameter was not trained"
    return said, after


@pytest.mark.parametrize("kind", ["code", "test"])
def test_a_seed_gives_the_same_weights_again_and_another_seed_others(tokenizer: Any, kind: warmup.Kind) -> None:
    first, second, other = (few_steps(tokenizer, kind, seed) for seed in (3, 3, 4))
    assert first[0] == second[0] != other[0]
    assert all(torch.equal(first[1][name], second[1][name]) for name in first[1])


def test_a_saved_model_is_loaded_by_the_auto_classes_with_its_own_tokenizer(tokenizer: Any, tmp_path: Path) -> None:
    model = warmup.new_model(COURSE, tokenizer, 0)
    expected = {name: weight.detach().half().float() for name, weight in model.named_parameters()}
    warm = warmup.Warm(model, tokenizer, warmup.Progress("micro-code", "code", 5, 5, 0.1, 0.0, 1.0))
    (tmp_path / "micro-code").mkdir()
    (tmp_path / "micro-code" / "old").touch()
    warmup.save(warm, tmp_path / "micro-code", COURSE, seed=9)
    assert [path.name for path in tmp_path.iterdir()] == ["micro-code"]
    assert not (tmp_path / "micro-code" / "old").exists()
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "micro-code", dtype=torch.float32)
    for name, weight in loaded.named_parameters():
        assert torch.equal(weight, expected[name])
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "micro-code")
    text = "<q>Write f(xs): take<c>def f(xs):\n    return -12<t>assert f([7, -3]) == 240"
    assert again(text).input_ids == tokenizer(text).input_ids
    facts = json.loads((tmp_path / "micro-code" / "provenance.json").read_text(encoding="utf-8"))
    assert (facts["seed"], facts["steps"]) == (9, 5)
