"""What a run is: one frozen record, plain values only, that says everything needed to start it again.

    config = a1kit.presets.preset("micro")
    config = config.with_values({"train.steps": "8", "game.alpha": "0.25"})     # what `--set k=v` gives
    RunConfig.from_yaml(config.to_yaml()) == config

Sections are nouns of the method: `problems`, `game` (the duel and its rewards, Paper §3), `code` and `tests` (the two
models and how they learn, Paper §3.4 and §4.1), `judge`, `train`, `eval`. Defaults are the paper's numbers where it
gives them; presets (`a1kit.presets`) change what has to change for their scale.

The ablations of the paper's §4.4 are fields of `game`: `mistake_book`, `see_code`, `predictions`, `alpha`, `topvar`;
the baselines are `opponent`: "golden" and "static" train the Code LLM alone, "self" one model in both roles, "sft" the
Test LLM alone, supervised.

A wrong value raises `ConfigError` with the field, the value, and what would do. Not checked here: whether a model or a
problem set exists.
"""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin

import yaml

from a1kit.errors import ConfigError

Opponent = Literal["tests", "mixed", "self", "golden", "static", "sft"]
TopVar = Literal["top", "random", "all"]
Convention = Literal["release", "paper"]
Style = Literal["a1", "a1-primed", "micro"]
Schedule = Literal["cosine", "linear", "constant"]
Loss = Literal["dapo", "grpo"]
DType = Literal["float32", "bfloat16"]
SamplerName = Literal["auto", "fast", "group", "generate"]
Level = Literal["full", "partial", "limits-only", "best"]


@dataclass(frozen=True, slots=True)
class ProblemsConfig:
    """Where questions come from: a built-in set, a file or `hub:NAME`.

    train, held_out   splits to train on and to evaluate on ("" for all questions; the same split is refused)
    pool              how many questions of the training split are used, chosen by `pool_seed`; 0 uses all
    columns           column names of a file, by field of `Question`; `preset` names a published format instead
    max_prompt_tokens questions with longer prompts are left out and counted
    """

    set: str = "micro"
    train: str = "train"
    held_out: str = "held_out"
    pool: int = 0
    pool_seed: int = 0
    preset: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    max_prompt_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class GameConfig:
    """The game of one step (Paper §3): Q questions, M candidates each, N suites of K tests a candidate.

    topvar_keep   candidates a question whose suites update the Test LLM; 0 means M / N, at least 1 (Paper §3.4)
    mistake_book  False: nothing is recalled or recorded
    see_code      False: the Test LLM does not see the candidate ("w/o referable code")
    predictions   False: tests are calls only, the oracle fills every answer ("w/o predicted answer")
    opponent      "tests": the Test LLM; "mixed": the Test LLM, and some golden tests of the question that are replayed
                  like historical ones; "self": the Code LLM, which then writes the suites too, for a question and not
                  against a candidate (black-box), all of which all candidates play; "golden": the questions' own
                  tests; "static": tests that the Test LLM wrote once, before training (`static_suites` a question).
                  These two train the Code LLM alone. "sft": the Test LLM learns, supervised, to answer a question and
                  a candidate that failed golden tests with golden tests; nobody else learns, and there is no book
    style         wording of the prompts: "a1"; "a1-primed" begins the answer, for small models; "micro"
    """

    questions: int = 256
    candidates: int = 8
    suites: int = 8
    tests: int = 8
    alpha: float = 0.5
    convention: Convention = "release"
    replay_limit: int = 8
    mistake_book: bool = True
    see_code: bool = True
    predictions: bool = True
    topvar: TopVar = "top"
    topvar_keep: int = 0
    opponent: Opponent = "tests"
    static_suites: int = 1
    style: Style = "a1"

    @property
    def shows_code(self) -> bool:
        """Whether whoever writes tests sees the candidate."""
        return self.see_code and self.opponent != "self"

    @property
    def teaches_tester(self) -> bool:
        """Whether a Test LLM of its own may learn."""
        return self.attacked or self.opponent == "sft"

    @property
    def attacked(self) -> bool:
        """Whether a Test LLM of its own attacks the candidates."""
        return self.opponent in ("tests", "mixed")

    @property
    def kept_candidates(self) -> int:
        """l of Paper §3.4: the candidates of a question whose suites TopVar keeps, l N = M."""
        return self.topvar_keep or max(1, self.candidates // self.suites)


@dataclass(frozen=True, slots=True)
class RoleConfig:
    """One of the two models: what it is, how it writes, how it learns (the numbers of `a1kit.policies.PolicyConfig`).

    frozen        it writes and never learns
    lora_rank     0 trains every weight
    """

    model: str = "Qwen/Qwen2.5-Coder-1.5B-Instruct"
    frozen: bool = False
    # writing
    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 4096
    stop: tuple[str, ...] = ()
    sampler: SamplerName = "auto"
    sample_memory_gb: float = 8.0
    # learning
    learning_rate: float = 1e-6
    schedule: Schedule = "cosine"
    warmup_updates: int = 10
    weight_decay: float = 0.1
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    clip_low: float = 0.20
    clip_high: float = 0.28
    kl: float = 0.001
    max_grad_norm: float = 1.0
    loss: Loss = "dapo"
    mini_batches: int = 2
    micro_batch_tokens: int = 16_384
    lora_rank: int = 0
    lora_alpha: int = 32
    dtype: DType = "float32"
    device: str = "auto"
    gradient_checkpointing: bool = False


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """Limits of one program (Paper §4.1: 10 s an execution) and the sandbox. `workers` 0 means one a core; `level`
    "best" takes what this machine has."""

    call_seconds: float = 1.0
    program_seconds: float = 10.0
    memory_mb: int = 512
    workers: int = 0
    level: Level = "best"


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How long, and what is kept. `threads` 0 leaves the number of threads to torch."""

    steps: int = 111
    checkpoint_every: int = 10
    keep_checkpoints: int = 2
    threads: int = 0


@dataclass(frozen=True, slots=True)
class EvalConfig:
    """The held-out evaluation: at the start and the end, and every `every` steps (0: only there).

    questions   how many held-out questions (0: all)
    samples     n of avg@n
    kill        also measure the Test LLM: validity x kill rate on held-out buggy programs, where the set has them
    hidden      the kill rate once more with the code hidden, whatever the run shows
    look_back   candidates a training question that are tried on tests failed earlier in the run (0: none)
    """

    enabled: bool = True
    every: int = 0
    questions: int = 0
    samples: int = 8
    temperature: float = 1.0
    top_p: float = 1.0
    kill: bool = True
    hidden: bool = False
    look_back: int = 0


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything about a run. `preset` is the name it started from."""

    preset: str = ""
    seed: int = 0
    problems: ProblemsConfig = ProblemsConfig()
    game: GameConfig = GameConfig()
    code: RoleConfig = RoleConfig()
    tests: RoleConfig = RoleConfig()
    judge: JudgeConfig = JudgeConfig()
    train: TrainConfig = TrainConfig()
    eval: EvalConfig = EvalConfig()
    report_to: str = ""

    def __post_init__(self) -> None:
        _check(self)

    def with_values(self, values: Mapping[str, Any]) -> RunConfig:
        """The config with dotted fields changed: `{"train.steps": 8}`. Text is read as the field's type."""
        data = self.to_dict()
        for name, value in values.items():
            _place(data, name, value)
        return _build(RunConfig, data, "")

    def to_dict(self) -> dict[str, Any]:
        """Plain values: dictionaries, lists, text, numbers, booleans."""
        return typing.cast(dict[str, Any], _plain(self))

    def to_yaml(self) -> str:
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunConfig:
        """The inverse of `to_dict`; fields that are missing have their defaults, unknown ones are refused."""
        return _build(cls, data, "")

    @classmethod
    def from_yaml(cls, text: str) -> RunConfig:
        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"this configuration is not YAML: {error}") from error
        if not isinstance(data, Mapping):
            raise ConfigError(f"a configuration is a mapping of sections, not {type(data).__name__}.")
        return cls.from_dict(data)


# -- what is checked ---------------------------------------------------------------------------------------------------

_AT_LEAST: dict[str, float] = {
    "problems.pool": 0,
    "problems.max_prompt_tokens": 1,
    "game.questions": 1,
    "game.candidates": 1,
    "game.suites": 1,
    "game.tests": 1,
    "game.replay_limit": 0,
    "game.topvar_keep": 0,
    "game.static_suites": 1,
    "judge.call_seconds": 0.01,
    "judge.program_seconds": 0.01,
    "judge.memory_mb": 16,
    "judge.workers": 0,
    "train.steps": 1,
    "train.checkpoint_every": 1,
    "train.keep_checkpoints": 1,
    "train.threads": 0,
    "eval.every": 0,
    "eval.questions": 0,
    "eval.samples": 1,
    "eval.temperature": 0,
    "eval.look_back": 0,
    **{
        f"{role}.{name}": least
        for role in ("code", "tests")
        for name, least in {
            "temperature": 0,
            "max_new_tokens": 1,
            "sample_memory_gb": 0.001,
            "learning_rate": 0,
            "warmup_updates": 0,
            "weight_decay": 0,
            "clip_low": 0,
            "clip_high": 0,
            "kl": 0,
            "max_grad_norm": 0,
            "mini_batches": 1,
            "micro_batch_tokens": 1,
            "lora_rank": 0,
        }.items()
    },
}


def _check(config: RunConfig) -> None:
    for name, least in _AT_LEAST.items():
        section, key = name.split(".")
        value = getattr(getattr(config, section), key)
        if value < least:
            raise ConfigError(f"{name} is {value}; it must be at least {least:g}.")
    game, train = config.game, config.train
    if not 0 <= game.alpha <= 1:
        raise ConfigError(f"game.alpha is {game.alpha}; it weighs validity against adversity, so use 0 to 1.")
    for name in ("code.top_p", "tests.top_p", "eval.top_p"):
        section, key = name.split(".")
        value = getattr(getattr(config, section), key)
        if not 0 < value <= 1:
            raise ConfigError(f"{name} is {value}; use a share above 0 and at most 1 (1 samples from all tokens).")
    if game.topvar_keep > game.candidates:
        raise ConfigError(
            f"game.topvar_keep is {game.topvar_keep}, but a question has {game.candidates} candidates; "
            "keep at most those."
        )
    if game.candidates == 1 and not config.code.frozen:
        raise ConfigError(
            "game.candidates is 1: the advantage of a candidate is measured against the others of its question, so one "
            "alone teaches nothing. Use at least 2, or code.frozen=true."
        )
    if game.suites == 1 and game.attacked and not config.tests.frozen:
        raise ConfigError("game.suites is 1, which teaches the Test LLM nothing. Use at least 2, or tests.frozen=true.")
    for role in ("code", "tests"):
        settings = getattr(config, role)
        if settings.temperature == 0 and not settings.frozen and (role == "code" or game.attacked):
            raise ConfigError(
                f"{role}.temperature is 0: all samples of a prompt would be equal and teach nothing. Use 1.0, or "
                f"{role}.frozen=true."
            )
    problems = config.problems
    if problems.train and problems.train == problems.held_out:
        raise ConfigError(
            f"problems.train and problems.held_out are both {problems.train!r}; questions that were trained on are not "
            "held out."
        )
    if problems.pool and game.questions > problems.pool:
        raise ConfigError(
            f"game.questions is {game.questions}, but problems.pool leaves {problems.pool} questions to choose from. "
            "Lower the first or raise the second."
        )
    if config.report_to not in ("", "trackio", "tensorboard", "wandb"):
        raise ConfigError(f"report_to is {config.report_to!r}; use trackio, tensorboard, wandb or nothing.")
    if train.steps > 999_999:
        raise ConfigError(f"train.steps is {train.steps}; at most 999999.")


# -- plain values and back ---------------------------------------------------------------------------------------------

T = TypeVar("T")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _build(kind: type[T], data: Mapping[str, Any], path: str) -> T:
    known = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for name, value in data.items():
        place = f"{path}{name}"
        if name not in known:
            raise ConfigError(f"there is no field {place!r}{nearest(place, [path + other for other in known])}.")
        values[name] = _read(hints[name], value, place)
    return kind(**values)


def _read(kind: Any, value: Any, place: str) -> Any:
    """The value as the type of its field; text (from a command line) is parsed, anything else must fit."""
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{place} is a section with fields, not {value!r}.")
        return _build(typing.cast(type[Any], kind), value, f"{place}.")
    origin = get_origin(kind)
    if origin is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"{place} is {value!r}; use one of {', '.join(map(str, get_args(kind)))}.")
        return value
    if origin is tuple:
        items = [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            raise ConfigError(f"{place} is {value!r}; it is a list of texts.")
        return tuple(items)
    if origin is not None and issubclass(origin, Mapping):
        return _read_mapping(value, place)
    return _READERS[kind](value, place)


def _read_mapping(value: Any, place: str) -> Mapping[str, str]:
    if isinstance(value, str):
        pairs = [item.partition("=") for item in value.split(",") if item.strip()]
        value = {key.strip(): text.strip() for key, _, text in pairs}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{place} is {value!r}; it maps names to names, as in `prompt=text,id=task_id`.")
    return {str(key): str(text) for key, text in value.items()}


def _read_bool(value: Any, place: str) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise ConfigError(f"{place} is {value!r}; use true or false.")


def _read_int(value: Any, place: str) -> int:
    try:
        if isinstance(value, str):
            return int(value.replace("_", ""))
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    except ValueError:
        pass
    raise ConfigError(f"{place} is {value!r}; it is a whole number.")


def _read_float(value: Any, place: str) -> float:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            number = float(value)
            if number == number and abs(number) != float("inf"):
                return number
    except ValueError:
        pass
    raise ConfigError(f"{place} is {value!r}; it is a number.")


def _read_text(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    raise ConfigError(f"{place} is {value!r}; it is a text.")


_READERS = {bool: _read_bool, int: _read_int, float: _read_float, str: _read_text}


def _place(data: dict[str, Any], name: str, value: Any) -> None:
    """Set a dotted field in nested dictionaries that hold every field."""
    *sections, last = name.split(".")
    here = data
    for depth, section in enumerate(sections):
        if not isinstance(here.get(section), dict):
            _refuse(".".join(sections[: depth + 1]))
        here = here[section]
    if last not in here and here is not data.get("problems", {}).get("columns"):
        _refuse(name)
    here[last] = value


def _refuse(name: str) -> None:
    raise ConfigError(
        f"there is no field {name!r}{nearest(name, field_names())}. `a1kit train --dry-run` shows them all."
    )


def field_names() -> list[str]:
    """Every field of a config, dotted."""
    names: list[str] = []
    for entry in fields(RunConfig):
        kind = typing.get_type_hints(RunConfig)[entry.name]
        if is_dataclass(kind) and not isinstance(kind, types.UnionType):
            names += [f"{entry.name}.{inner.name}" for inner in fields(kind)]
        else:
            names.append(entry.name)
    return names


def nearest(name: str, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""
