"""From a configuration to a run that is ready to go: models, problems, judge, book, evaluation.

    with new_run(config, folder, listen) as runner: runner.run()
    with old_run(folder, listen) as runner: runner.run()

Everything is checked before the run folder is made: a wrong name costs nothing and leaves nothing behind.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from a1kit.config import ProblemsConfig, RoleConfig, RunConfig
from a1kit.duel import Judge, Pairing
from a1kit.errors import ConfigError
from a1kit.policies import LoraOptions, Policy, PolicyConfig, Sampling
from a1kit.problems import ProblemSet, load
from a1kit.prompts import PromptStyle, code_prompt, test_prompt
from a1kit.rewards import Convention, Rules
from a1kit.sandbox import Level, LocalSandbox, Sandbox
from a1kit.store.files import write_text_whole
from a1kit.store.run_log import Announce, RunLog, silent
from a1kit.training.evaluate import held_out
from a1kit.training.events import Listener, Note
from a1kit.training.run import Runner, restore
from a1kit.training.step import History, Player, Table, seed_for
from a1kit.types import Completion, Question

STATIC_TESTS = "static_tests.json"


@dataclass(frozen=True, slots=True)
class Problems:
    """The questions of a run: the pool it trains on and those held out; how many were left out, by reason."""

    train: tuple[Question, ...]
    held_out: tuple[Question, ...]
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class Makers:
    """Where the parts of a run come from; tests put fakes here."""

    problems: Callable[[RunConfig], Problems]
    policy: Callable[[RunConfig, str], Policy]
    sandbox: Callable[[RunConfig], Sandbox]


def real_makers() -> Makers:
    """Problems from files, models from transformers, programs in the local sandbox."""
    return Makers(find_problems, hf_policy, local_sandbox)


@contextmanager
def new_run(
    config: RunConfig,
    folder: Path,
    listen: Listener,
    *,
    makers: Makers | None = None,
    announce: Announce = silent,
) -> Iterator[Runner]:
    """A run that starts in `folder`. Raises InputError before anything is written when the config cannot work."""
    with ExitStack() as stack:
        parts = _parts(config, makers or real_makers(), stack)
        log = stack.enter_context(RunLog.create(folder, config.to_dict(), announce=announce))
        yield _runner(config, parts, log, listen, stack)


@contextmanager
def old_run(
    folder: Path,
    listen: Listener,
    *,
    steps: int | None = None,
    makers: Makers | None = None,
    announce: Announce = silent,
) -> Iterator[Runner]:
    """A run that goes on from its newest checkpoint; `steps` makes it longer or shorter."""
    with ExitStack() as stack:
        log = stack.enter_context(RunLog.open(folder, announce=announce))
        config = RunConfig.from_dict(log.manifest["config"])
        if steps is not None and steps != config.train.steps:
            config = config.with_values({"train.steps": steps})
            log.rewrite_config(config.to_dict())
        yield _runner(config, _parts(config, makers or real_makers(), stack), log, listen, stack)


@dataclass(frozen=True, slots=True)
class _Parts:
    problems: Problems
    judge: Judge
    code: Policy
    tests: Policy | None


def _parts(config: RunConfig, makers: Makers, stack: ExitStack) -> _Parts:
    """Problems, judge and models; the sandbox before the models, so that its processes start from a small one."""
    problems = makers.problems(config)
    sandbox = makers.sandbox(config)
    stack.callback(sandbox.close)
    judge = Judge(
        sandbox,
        rules_of(config),
        call_seconds=config.judge.call_seconds,
        program_seconds=config.judge.program_seconds,
        memory_mb=config.judge.memory_mb,
    )
    code = makers.policy(config, "code")
    stack.callback(code.close)
    problems = fitting(config, problems, code)
    if config.game.opponent == "self":
        return _Parts(problems, judge, code, code)
    tests = makers.policy(config, "tests") if wants_tester(config) else None
    if tests is not None:
        stack.callback(tests.close)
    return _Parts(problems, judge, code, tests)


def _runner(config: RunConfig, parts: _Parts, log: RunLog, listen: Listener, stack: ExitStack) -> Runner:
    problems, judge, tests = parts.problems, parts.judge, parts.tests
    fixed: History | None = None
    if config.game.opponent == "golden":
        fixed = {question.id: question.golden for question in problems.train}
    elif config.game.opponent == "static" and tests is not None:
        fixed = static_tests(config, problems.train, tests, judge, log.folder / STATIC_TESTS, listen)
    frozen = config.tests.frozen or not config.game.teaches_tester
    supervised = config.game.opponent == "sft"
    table = Table(
        config.game,
        Player(parts.code, sampling_of(config.code), config.code.frozen or supervised),
        Player(tests, sampling_of(config.tests), frozen) if tests is not None else None,
        judge,
        None,
        fixed,
    )
    step = restore(log, table)
    if config.game.mistake_book and fixed is None and not supervised:
        table = replace(table, book=stack.enter_context(log.open_book(step)))
    measure = held_out(config, problems.held_out, judge, problems.train) if config.eval.enabled else None
    for reason, count in problems.left_out.items():
        listen(Note(f"{count} questions left out: {reason}"))
    return Runner(config, table, problems.train, log, measure, listen, step)


# -- problems ----------------------------------------------------------------------------------------------------------


def find_problems(config: RunConfig) -> Problems:
    """Load the problem set and cut the training pool out of it."""
    settings = config.problems
    everything = _load(settings)
    train = everything.split(settings.train) if settings.train else everything
    unseen = everything.split(settings.held_out).questions if settings.held_out else ()
    pool = list(train.questions)
    if settings.pool:
        if settings.pool > len(pool):
            raise ConfigError(
                f"problems.pool is {settings.pool}, but {settings.set} has {len(pool)} training questions."
            )
        chosen = set(random.Random(f"pool/{settings.pool_seed}").sample(range(len(pool)), settings.pool))
        pool = [question for place, question in enumerate(pool) if place in chosen]
    opponent = config.game.opponent
    if opponent in ("golden", "mixed", "sft") and not all(question.golden for question in pool):
        lacking = next(question.id for question in pool if not question.golden)
        raise ConfigError(
            f"game.opponent is {opponent}, but question {lacking!r} has no golden tests. Use another set."
        )
    if len(pool) < config.game.questions:
        raise ConfigError(
            f"game.questions is {config.game.questions}, but {settings.set} has {len(pool)} training questions. "
            "Ask for at most those."
        )
    return Problems(tuple(pool), unseen, everything.counts)


def _load(settings: ProblemsConfig) -> ProblemSet:
    """The whole set. Rows at fault are left out and counted in a data set of the hub, and refused in a file."""
    hub = settings.set.startswith("hub:")
    return load(
        settings.set,
        preset=settings.preset or None,
        columns=settings.columns or None,
        on_error="skip" if hub else "raise",
    )


def fitting(config: RunConfig, problems: Problems, code: Policy) -> Problems:
    """The problems whose prompts have at most `problems.max_prompt_tokens` tokens; the others are counted."""
    style, most = PromptStyle(config.game.style), config.problems.max_prompt_tokens

    def short(questions: Sequence[Question]) -> tuple[Question, ...]:
        return tuple(one for one in questions if code.count_tokens(code_prompt(one, style)) <= most)

    train, held_out = short(problems.train), short(problems.held_out)
    too_long = len(problems.train) + len(problems.held_out) - len(train) - len(held_out)
    if len(train) < config.game.questions:
        raise ConfigError(
            f"problems.max_prompt_tokens is {most}, which leaves {len(train)} training questions; game.questions asks "
            f"for {config.game.questions} a step. Raise the first or lower the second."
        )
    if not too_long:
        return problems
    return Problems(train, held_out, {**problems.left_out, "prompt too long": too_long})


# -- models ------------------------------------------------------------------------------------------------------------


def policy_config(config: RunConfig, role: str) -> PolicyConfig:
    """What `a1kit.policies` needs to know of one role."""
    settings: RoleConfig = getattr(config, role)
    return PolicyConfig(
        model=settings.model,
        name=role,
        lora=LoraOptions(r=settings.lora_rank, alpha=settings.lora_alpha) if settings.lora_rank else None,
        learning_rate=settings.learning_rate,
        schedule=settings.schedule,
        warmup_updates=settings.warmup_updates,
        total_updates=config.train.steps,
        weight_decay=settings.weight_decay,
        adam_beta1=settings.adam_beta1,
        adam_beta2=settings.adam_beta2,
        clip_low=settings.clip_low,
        clip_high=settings.clip_high,
        kl=settings.kl,
        mini_batches=settings.mini_batches,
        micro_batch_tokens=settings.micro_batch_tokens,
        max_grad_norm=settings.max_grad_norm,
        loss=settings.loss,
        temperature=settings.temperature or 1.0,
        dtype=settings.dtype,
        device=settings.device,
        gradient_checkpointing=settings.gradient_checkpointing,
        sampler=settings.sampler,
        sample_memory_gb=settings.sample_memory_gb,
        seed=seed_for(config.seed, 0, role) % (1 << 31),
    )


def sampling_of(settings: RoleConfig) -> Sampling:
    return Sampling(settings.temperature, settings.top_p, settings.max_new_tokens, settings.stop)


def rules_of(config: RunConfig) -> Rules:
    """The rules of the rewards."""
    game = config.game
    return Rules(game.tests, game.alpha, Convention(game.convention), game.predictions)


def wants_tester(config: RunConfig) -> bool:
    """Whether the run has something that writes tests."""
    return config.game.opponent != "golden" or (config.eval.enabled and config.eval.kill)


def hf_policy(config: RunConfig, role: str) -> Policy:
    """The model of a role, loaded."""
    from a1kit.policies import HFPolicy  # imports torch

    if config.train.threads:
        import torch

        torch.set_num_threads(config.train.threads)
    return HFPolicy(policy_config(config, role))


def local_sandbox(config: RunConfig) -> Sandbox:
    """The sandbox of the run."""
    level = None if config.judge.level == "best" else Level(config.judge.level)
    return LocalSandbox(level, workers=config.judge.workers or None)


# -- static tests ------------------------------------------------------------------------------------------------------


def static_tests(
    config: RunConfig, questions: Sequence[Question], tests: Policy, judge: Judge, path: Path, listen: Listener
) -> History:
    """The tests of the baseline `static`: the Test LLM writes them once, before training and without a candidate; the
    reference validates them as in the game (valid and corrected ones stay). Kept in the run folder."""
    if path.exists():
        known: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
        return {question: tuple(sources) for question, sources in known.items()}
    style = PromptStyle(config.game.style)
    prompts = [
        test_prompt(question, None, config.game.tests, style, calls_only=not config.game.predictions)
        for question in questions
    ]
    seed = seed_for(config.seed, 0, "static")
    written = tests.sample(prompts, config.game.static_suites, seed=seed, sampling=sampling_of(config.tests))
    duels = judge.play(
        Pairing(question, Completion(question.reference), suites)
        for question, suites in zip(questions, written, strict=True)
    )
    found = {
        duel.question.id: list(dict.fromkeys(test.source for suite in duel.suites for test in suite.kept))
        for duel in duels
    }
    without = sum(not sources for sources in found.values())
    if without:
        listen(Note(f"{without} of {len(found)} questions got no usable static test; their candidates all earn 0"))
    write_text_whole(path, json.dumps(found, indent=1))
    return {question: tuple(sources) for question, sources in found.items()}
