"""What the server lets nobody do: read other files, come in without a password, send too much, inject markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from a1kit.errors import InputError

main = pytest.importorskip("a1kit_app.main", reason="needs the extra `app`")


def ask(server: Any, function: int, data: list[Any], session: str = "test") -> dict[str, Any]:
    """Call a function of the page as a browser does, and its last answer."""
    with httpx.Client(base_url=server.address, timeout=30) as client:
        joined = client.post(
            "/gradio_api/queue/join", json={"data": data, "fn_index": function, "session_hash": session}
        )
        assert joined.status_code == 200, joined.text
        answer: dict[str, Any] = {}
        with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    answer = json.loads(line.removeprefix("data:"))
                    if answer["msg"] == "process_completed":
                        return answer
    return answer


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_a_bind_that_others_can_reach_is_refused_without_a_password(tmp_path: Path, host: str) -> None:
    with pytest.raises(InputError, match="--password"):
        main.serve(tmp_path, host=host)
    with pytest.raises(InputError, match="--password"):
        main.serve(tmp_path, host=host, password="")


def test_with_a_password_nothing_is_shown_before_it_is_given(tmp_path: Path) -> None:
    server = main.serve(tmp_path, password="pässwörd")
    try:
        with httpx.Client(base_url=server.address, timeout=30) as client:
            assert client.get("/config").status_code == 401
            for user, given in (("a1kit", "wrong"), ("admin", "pässwörd"), ("a1kit", ""), ("a1kit", "\udc80")):
                body = {"username": user, "password": given.encode("utf-8", "surrogatepass")}
                assert client.post("/login", data=body).status_code == 400
            assert client.get("/config").status_code == 401
            assert client.post("/login", data={"username": "a1kit", "password": "pässwörd"}).status_code == 200
            assert client.get("/config").status_code == 200
    finally:
        server.page.close(verbose=False)


def test_a_taken_port_is_said_in_words(server: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is taken"):
        main.serve(tmp_path, port=server.port)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.txt", "config.yaml", "demo/config.yaml", "..%2fsecret.txt", "%2e%2e/secret.txt"]
)
def test_the_file_route_gives_out_nothing(server: Any, runs: Path, path: str) -> None:
    for wanted in (path, str(runs / path)):
        found = httpx.get(f"{server.address}gradio_api/file={wanted}", timeout=30)
        assert found.status_code in (400, 403, 404), (wanted, found.status_code)
        assert "not for the page" not in found.text


@pytest.mark.parametrize("name", ["../secret.txt", "..", "/etc", "demo/..", "demo/steps", "", "no-such-run", "demo\0"])
def test_a_run_is_looked_up_by_name_and_never_used_as_a_path(server: Any, name: str) -> None:
    with pytest.raises(InputError, match="there is no run"):
        server.shelf.folder(name)


def test_an_upload_beyond_the_cap_is_refused(server: Any) -> None:
    too_much = httpx.post(
        f"{server.address}gradio_api/upload", files={"files": ("big.txt", b"x" * (2 << 20 | 1))}, timeout=30
    )
    assert too_much.status_code == 413


def test_a_page_of_another_name_cannot_speak_to_the_server(server: Any) -> None:
    """DNS rebinding: the attacker's own name points to 127.0.0.1, so the browser thinks it is the attacker's server."""
    assert httpx.get(server.address, headers={"Host": "attacker.example"}, timeout=30).status_code == 400
    assert httpx.get(server.address, headers={"Host": f"localhost:{server.port}"}, timeout=30).status_code == 200


def test_another_origin_gets_no_permission(server: Any) -> None:
    found = httpx.get(f"{server.address}config", headers={"Origin": "https://attacker.example"}, timeout=30)
    assert found.headers.get("access-control-allow-origin") != "https://attacker.example"


def test_nothing_on_the_page_comes_from_elsewhere(server: Any) -> None:
    """The page itself names no other host for scripts, styles or fonts (a browser test sees what is really fetched)."""
    text = httpx.get(server.address, timeout=30).text
    assert "fonts.googleapis.com" not in text
    assert "google-analytics" not in text


def test_a_question_that_is_not_on_the_list_is_not_looked_for_on_disk() -> None:
    from a1kit_app.views import play

    for identity in ("/etc/passwd", "../x", "humaneval/0", "micro/../classic/median", ""):
        with pytest.raises(InputError, match="there is no question"):
            play._known(identity)
    assert play._known("classic/median").entry_point == "median"


@pytest.mark.parametrize(
    ("text", "name", "reference", "words"),
    [
        ("", "f", "def f(): pass", "the question is empty"),
        ("x" * 4_001, "f", "def f(): pass", "4,001 characters"),
        ("q", "f g", "def f(): pass", "the function's name"),
        ("q", "class", "def f(): pass", "the function's name"),
        ("q", "f" * 101, "def f(): pass", "the function's name"),
        ("q", "f", "", "the reference solution is empty"),
        ("q", "f", "x" * 20_001, "20,001 characters"),
        ("q", None, None, "the function's name"),
    ],
)
def test_what_is_pasted_is_checked_on_the_server(
    text: str, name: str | None, reference: str | None, words: str
) -> None:
    from a1kit_app.playroom import pasted_question

    with pytest.raises(InputError, match=words):
        pasted_question(text, name, reference)
