"""The settings: where they come from, which one wins, and what a wrong one is told."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ragstone.core import Host, Settings, SettingsError, Table, hookimpl, read_settings
from ragstone.core.testing import TestModels
from tests.support.installed import ALWAYS, PLUGINS


def write(folder: Path, text: str, name: str = "ragstone.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def refusal(path: Path | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Where they come from


def test_without_a_file_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSTONE_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    settings = read_settings()
    assert settings.data_dir == tmp_path / "share" / "ragstone"
    assert settings.plugins.enabled is None
    assert settings.llm.provider == "extractive"
    assert settings.encoder.provider == "minilm"
    assert settings.index.store == "auto"


def test_the_file_in_the_working_folder(tmp_path: Path) -> None:
    write(tmp_path, "[retrieval]\ncandidates = 7\n")
    assert read_settings().retrieval.candidates == 7


def test_a_named_file_goes_before_the_variable_and_that_before_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "[retrieval]\ncandidates = 1\n")
    by_variable = write(tmp_path, "[retrieval]\ncandidates = 2\n", "variable.toml")
    named = write(tmp_path, "[retrieval]\ncandidates = 3\n", "named.toml")
    monkeypatch.setenv("RAGSTONE_CONFIG", str(by_variable))
    assert read_settings().retrieval.candidates == 2
    assert read_settings(named).retrieval.candidates == 3
    assert read_settings(str(named)).retrieval.candidates == 3
    monkeypatch.setenv("RAGSTONE_CONFIG", "")
    assert read_settings().retrieval.candidates == 1


def test_the_file_may_be_named_from_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, "[retrieval]\ncandidates = 4\n", "mine.toml")
    assert read_settings("~/mine.toml").retrieval.candidates == 4


# The environment


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, f'data_dir = "{tmp_path}/from-file"\n[retrieval]\ncandidates = 7\ndense_weight = 0.25\n')
    monkeypatch.setenv("RAGSTONE_RETRIEVAL__CANDIDATES", "9")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "from-environment"))
    settings = read_settings(path)
    assert settings.retrieval.candidates == 9
    assert settings.retrieval.dense_weight == 0.25  # the other keys of the table stay the file's
    assert settings.data_dir == tmp_path / "from-environment"


def test_folders_are_absolute_and_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAGSTONE_DATA_DIR", "~/books")
    monkeypatch.setenv("RAGSTONE_CACHE_DIR", "cache")
    settings = read_settings()
    assert settings.data_dir == tmp_path / "books"
    assert settings.cache_dir == tmp_path / "cache"


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_RETRIEVAL__CANDIDATES", "")
    assert read_settings().retrieval.candidates == 100


def test_an_unknown_variable_is_reported_and_its_neighbour_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RAGSTONE_DATADIR", "/nowhere")
    with caplog.at_level(logging.WARNING):
        read_settings()
    assert caplog.messages == ["RAGSTONE_DATADIR is not a setting; did you mean RAGSTONE_DATA_DIR?"]


def test_an_unknown_nested_variable_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ENCODER__THREDS", "2")
    assert refusal() == "the environment: unknown key encoder.threds (did you mean encoder.threads?)"


def test_a_wrong_variable_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_RETRIEVAL__DENSE_WEIGHT", "7")
    assert refusal() == "the environment: retrieval.dense_weight: Input should be less than or equal to 1"


def test_a_wrong_variable_is_not_blamed_on_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "[retrieval]\ncandidates = 7\n")
    monkeypatch.setenv("RAGSTONE_RETRIEVAL__DENSE_WEIGHT", "7")
    assert str(path) not in refusal(path)


# The list of plugins


@pytest.mark.parametrize(
    "text",
    ['plugins = ["web", "book_chat"]\n', '[plugins]\nenabled = ["web", "book_chat"]\n'],
    ids=["list", "table"],
)
def test_both_forms_of_the_list_say_the_same(tmp_path: Path, text: str) -> None:
    plugins = read_settings(write(tmp_path, text)).plugins
    assert plugins.enabled == ("web", "book_chat")
    assert plugins.disabled == ()
    assert plugins.options == {}


def test_the_table_also_disables_and_holds_the_options(tmp_path: Path) -> None:
    text = '[plugins]\ndisabled = ["web"]\n[plugins.book_chat]\ntop_k = 8\n'
    plugins = read_settings(write(tmp_path, text)).plugins
    assert plugins.enabled is None
    assert plugins.disabled == ("web",)
    assert plugins.options == {"book_chat": {"top_k": 8}}


@pytest.mark.parametrize("value", ["web,book_chat", " web , book_chat, ", '["web", "book_chat"]'])
def test_the_list_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str) -> None:
    path = write(tmp_path, 'plugins = ["other"]\n')
    monkeypatch.setenv("RAGSTONE_PLUGINS__ENABLED", value)
    monkeypatch.setenv("RAGSTONE_PLUGINS__DISABLED", value)
    plugins = read_settings(path).plugins
    assert plugins.enabled == plugins.disabled == ("web", "book_chat")


def test_the_whole_list_in_one_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path, 'plugins = ["other"]\n')
    monkeypatch.setenv("RAGSTONE_PLUGINS", '["web"]')
    assert read_settings(path).plugins.enabled == ("web",)


def test_options_in_the_environment_go_beside_a_list_in_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write(tmp_path, 'plugins = ["book_chat"]\n')
    monkeypatch.setenv("RAGSTONE_PLUGINS__BOOK_CHAT__TOP_K", "8")
    plugins = read_settings(path).plugins
    assert plugins.enabled == ("book_chat",)
    assert plugins.options == {"book_chat": {"top_k": "8"}}  # made a number by the plugin's own model


def test_options_in_the_environment_go_over_those_in_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(tmp_path, "[plugins.book_chat]\ntop_k = 3\nchunk_tokens = 200\n")
    monkeypatch.setenv("RAGSTONE_PLUGINS__BOOK_CHAT__TOP_K", "8")
    assert read_settings(path).plugins.options["book_chat"] == {"top_k": "8", "chunk_tokens": 200}


def test_a_list_beside_tables_is_reported_how_to_be_written(tmp_path: Path) -> None:
    result = refusal(write(tmp_path, 'plugins = ["book_chat"]\n[plugins.book_chat]\ntop_k = 3\n'))
    assert "is not valid TOML" in result
    assert 'write the list as [plugins] enabled = ["book_chat"]' in result


# What a wrong one is told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('datadir = "x"', "unknown key datadir (did you mean data_dir?)"),
        (
            "nonsense = 1",
            (
                "unknown key nonsense "
                "(known: cache_dir, data_dir, database, encoder, index, limits, llm, plugins, prompts, retrieval)"
            ),
        ),
        ("[encoder]\nprecison = 'int8'", "unknown key encoder.precison (did you mean encoder.precision?)"),
        ("[index]\nzzz = 1", "unknown key index.zzz (known: from_chunks, server, store)"),
        ("datadir = 1\nnonsense = 1", "unknown key datadir (and 1 more) (did you mean data_dir?)"),
        ("database = 3", "database: Input should be a valid string"),
        ("encoder = 'minilm'", "encoder: Input should be a valid dictionary or instance of EncoderSettings"),
        ("[encoder]\nprovider = 'openai'", "encoder.provider: Input should be 'minilm' or 'huggingface'"),
        ("[encoder]\nthreads = -1", "encoder.threads: Input should be greater than or equal to 0"),
        ("[encoder]\nthreads = 1.5", "encoder.threads: Input should be a valid integer, got a number"),
        ("[llm]\ntimeout = 0", "llm.timeout: Input should be greater than 0"),
        ("[retrieval]\ndense_weight = 1.1", "retrieval.dense_weight: Input should be less than or equal to 1"),
        ("[retrieval]\ncandidates = 0", "retrieval.candidates: Input should be greater than or equal to 1"),
        ("[retrieval]\nthreshold = 'high'", "retrieval.threshold: Input should be a valid number, unable to parse"),
        ("[index]\nstore = 'faiss'", "index.store: Input should be 'auto', 'chroma', 'pgvector' or 'none'"),
        ("[plugins]\nenabled = 3", "plugins.enabled: Input should be a valid tuple"),
        ("plugins = [1]", "plugins.enabled.0: Input should be a valid string"),
    ],
)
def test_a_wrong_key_or_type_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    assert refusal(path).startswith(f"{path}: {message}")


def test_the_language_model_may_have_keys_of_its_own(tmp_path: Path) -> None:
    llm = read_settings(write(tmp_path, '[llm]\nprovider = "mine"\nmodel = "qwen"\ntimeout = 5\n')).llm
    assert (llm.provider, llm.timeout, llm.model_extra) == ("mine", 5.0, {"model": "qwen"})


def test_not_toml(tmp_path: Path) -> None:
    path = write(tmp_path, "plugins = [\n")
    assert refusal(path).startswith(f"{path}: is not valid TOML: ")


def test_not_there(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.toml"
    assert refusal(path) == f"{path}: cannot be read: No such file or directory"


def test_not_there_by_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_CONFIG", str(tmp_path / "nowhere.toml"))
    assert refusal() == f"{tmp_path / 'nowhere.toml'}: cannot be read: No such file or directory"


def test_a_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: cannot be read: Is a directory"


def test_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "ragstone.toml"
    path.write_bytes(b'data_dir = "caf\xe9"')
    assert refusal() == "ragstone.toml: is not UTF-8 at byte 15"


def test_nothing_can_be_changed_afterwards() -> None:
    settings = read_settings()
    with pytest.raises(ValidationError):
        settings.database = "sqlite://"  # type: ignore[misc]


# A plugin's own options


class Options(Table):
    loud: bool = False
    times: int = 1


class Echo:
    @hookimpl
    def ragstone_settings(self) -> type[Options]:
        return Options


def host_of(path: Path | None = None) -> Host:
    return Host(read_settings(path), plugins={"test_models": TestModels(), "echo": Echo()})


def plugin_refusal(path: Path | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        host_of(path)
    return str(caught.value)


def test_options_are_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "[plugins.echo]\ntimes = 3\n")
    monkeypatch.setenv("RAGSTONE_PLUGINS__ECHO__LOUD", "yes")
    assert host_of(path).hooks.options(Options) == Options(loud=True, times=3)


def test_without_a_table_the_defaults() -> None:
    assert host_of().hooks.options(Options) == Options()


_KNOWN = ", ".join(sorted([*PLUGINS, *ALWAYS, "echo", "test_models"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plugins.echo]\nlaud = true", "[plugins.echo]: unknown key laud (did you mean loud?)"),
        ("[plugins.echo]\ntimes = 'often'", "[plugins.echo]: times: Input should be a valid integer"),
        ("[plugins.book_chat]\ntop_k = 0", "[plugins.book_chat]: top_k: Input should be greater than or equal to 1"),
        (
            "[plugins.eco]\ntimes = 1",
            f"[plugins]: there is no plugin 'eco' (known: {_KNOWN}; also enabled, disabled)",
        ),
        ("[plugins]\nenable = ['echo']", "[plugins]: unknown key enable ("),
    ],
)
def test_wrong_options(tmp_path: Path, text: str, message: str) -> None:
    assert plugin_refusal(write(tmp_path, text)).startswith(message)


def test_options_that_are_no_table(tmp_path: Path) -> None:
    result = plugin_refusal(write(tmp_path, "[plugins]\necho = 3\n"))
    assert result.startswith("[plugins.echo]: ")
    assert ": :" not in result


def test_options_of_a_plugin_that_is_off_are_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path, "[plugins]\ndisabled = ['echo']\n[plugins.echo]\nlaud = true\n")
    assert host_of(path).hooks.options(Options) == Options()


def test_settings_made_in_python_are_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "[retrieval]\ncandidates = 7\n")
    monkeypatch.setenv("RAGSTONE_RETRIEVAL__THRESHOLD", "2")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "precious"))
    named: dict[str, Any] = {"data_dir": tmp_path / "x", "retrieval": {"threshold": 0.5}, "plugins": ["book_chat"]}
    settings = Settings(**named)
    assert settings.data_dir == tmp_path / "x"
    assert settings.retrieval.threshold == 0.5
    assert settings.retrieval.candidates == 100
    assert settings.plugins.enabled == ("book_chat",)
