"""deploy/server: the compose file, the image and the settings say what they should, as far as that can be read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from ragstone.core import Host, read_settings
from tests.support.composed import SERVER, VARIABLES, WITH_CHROMA, WORKERS, compose, image_command, instructions
from tests.support.needs import needed

REPOSITORY = SERVER.parents[1]
SERVICES = compose()["services"]
OWN = [name for name, service in SERVICES.items() if "build" in service]


def test_compose_yaml_is_what_the_compose_specification_allows(tmp_path: Path) -> None:
    needed("check_jsonschema")
    plain = tmp_path / "compose.json"  # merged: to the schema a merge key is an unknown one
    plain.write_text(json.dumps(compose()), "utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(plain)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["RAGSTONE_NAME", "POSTGRES_PASSWORD"])
def test_nothing_starts_without_a_name_and_a_password(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        compose({**VARIABLES, name: ""})


def test_the_example_of_env_names_every_variable() -> None:
    example = dict(re.findall(r"^([A-Z_]+)=(.*)$", (SERVER / ".env.example").read_text("utf-8"), re.MULTILINE))
    used = set(re.findall(r"\$\{(\w+)", (SERVER / "compose.yaml").read_text("utf-8")))
    assert set(example) == used
    assert not example["POSTGRES_PASSWORD"], "a password that everybody knows would be used"


def test_volumes_networks_and_files_are_there() -> None:
    read = compose()
    for name, service in SERVICES.items():
        assert set(service["networks"]) <= set(read["networks"]), name
        for volume in service.get("volumes", []):
            source, target, *_ = volume.split(":")
            assert target.startswith("/"), volume
            if source.endswith((".sh", ".toml", "file")):
                assert (SERVER / source).is_file(), volume
            elif not source.startswith("."):
                assert source in read["volumes"], volume
        for other in service.get("depends_on", {}):
            assert "healthcheck" in SERVICES[other], f"{name} waits for the health of {other}, which has no check"


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert [name for name, service in SERVICES.items() if "outside" in service["networks"]] == ["proxy"]
    assert compose()["networks"]["inside"]["internal"] is True


def test_services_have_as_little_power_as_they_need() -> None:
    for name, service in SERVICES.items():
        assert "no-new-privileges:true" in service["security_opt"], name
        assert not service.get("privileged"), name
        assert "docker.sock" not in str(service), name
        assert service["logging"]["driver"] == "local", name  # its files are of bounded size
        if name != "postgres":  # its image changes to an account of its own
            assert service["cap_drop"] == ["ALL"], name
    for name in OWN:
        assert SERVICES[name]["read_only"] is True
        assert "cap_add" not in SERVICES[name]


def test_whatever_runs_for_long_is_looked_at() -> None:
    assert {name for name, service in SERVICES.items() if "test" not in service.get("healthcheck", {})} == {
        "ragstone",
        "restore",
    }
    assert {name for name, service in SERVICES.items() if service["restart"] == "no"} == {"ragstone", "restore"}


def test_both_workers_are_one_and_their_connections_fit() -> None:
    one, other = (SERVICES[name] for name in WORKERS)
    assert one == other
    (most,) = (int(word.partition("=")[2]) for word in SERVICES["postgres"]["command"] if "max_connections" in word)
    from ragstone.core.catalog import postgresql

    each = postgresql._POOL_SIZE + postgresql._POOL_OVERFLOW
    assert most >= each * (len(WORKERS) + 2), "workers, an ingestion, and one more of them while it is replaced"


@pytest.mark.parametrize("variables", [VARIABLES, WITH_CHROMA], ids=["pgvector", "Chroma"])
def test_the_settings_are_settings(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in ("RAGSTONE_DATA_DIR", "RAGSTONE_CACHE_DIR"):
        monkeypatch.delenv(name)
    for name, value in compose(variables)["services"]["web-1"]["environment"].items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("RAGSTONE_CONFIG")
    settings = read_settings(SERVER / "ragstone.toml")
    from ragstone.web.settings import WebSettings

    options = Host(settings).hooks.options(WebSettings)
    assert settings.plugins.enabled == ("book_chat",)
    assert (str(settings.data_dir), str(settings.cache_dir)) == ("/var/lib/ragstone", "/var/cache/ragstone")
    wanted = ("pgvector", None) if variables is VARIABLES else ("auto", "http://chroma:8001")
    assert (settings.index.store, settings.index.server) == wanted
    assert SERVICES["chroma"]["profiles"] == ["chroma"], "it would be started beside pgvector"
    assert options.allowed_hosts == [VARIABLES["RAGSTONE_NAME"]]
    assert options.trusted_proxies == [VARIABLES["RAGSTONE_SUBNET"]]
    assert (options.host, options.port, options.access) == ("0.0.0.0", 8000, "key")
    mounted = [volume for volume in SERVICES["web-1"]["volumes"] if str(settings.data_dir) in volume]
    assert mounted == ["data:/var/lib/ragstone"]


def test_the_image_is_small_and_nobodys() -> None:
    steps = instructions()
    froms = [rest for word, rest in steps if word == "FROM"]
    assert froms == ["python:${PYTHON} AS build", "python:${PYTHON}"]
    last = [number for number, (word, _rest) in enumerate(steps) if word == "FROM"][-1]
    final = steps[last:]
    assert [rest for word, rest in final if word == "USER"] == ["10001:10001"]
    assert not [rest for word, rest in final if word == "RUN" and "pip" in rest]
    assert {word for word, _rest in steps} <= {
        "ARG",
        "FROM",
        "ENV",
        "WORKDIR",
        "COPY",
        "RUN",
        "USER",
        "EXPOSE",
        "ENTRYPOINT",
        "CMD",
    }
    assert [*image_command("ENTRYPOINT"), *image_command("CMD")] == ["ragstone", "serve"]
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    (weights,) = re.findall(r"^WEIGHTS = (.+)$", makefile, re.MULTILINE)
    assert ("ARG", f"WEIGHTS={weights}") in steps
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (wanted,) = (rest.partition("=")[2] for word, rest in steps if word == "ARG" and rest.startswith("EXTRAS"))
    assert {"server", "postgresql"} <= set(wanted.split(",")) <= set(extras)


def test_the_image_is_made_of_files_that_are_there_and_let_in() -> None:
    let_in = [
        line[1:]
        for line in (SERVER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    ]
    copied = [
        source
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    assert sorted(copied) == sorted(let_in)
    for source in copied:
        assert (REPOSITORY / source).exists(), source
    build = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    included = build["targets"]["wheel"]["only-include"]
    needed_to_build = {"LICENSE", "README.md"} | {entry.partition("/")[0] for entry in included}
    assert needed_to_build <= set(copied)


def test_no_secret_lies_in_the_folder() -> None:
    kept = subprocess.run(["git", "ls-files", "."], cwd=SERVER, capture_output=True, text=True, check=False).stdout
    assert ".env\n" not in f"\n{kept}".replace(".env.example\n", "")
    ignored = (REPOSITORY / ".gitignore").read_text("utf-8").splitlines()
    for name in ("deploy/server/.env", "deploy/server/backups", "deploy/server/books"):
        assert any(fnmatch(f"/{name}", pattern.rstrip("/")) for pattern in ignored), name


def test_the_readme_names_what_there_is() -> None:
    result = (SERVER / "README.md").read_text("utf-8")
    for name in re.findall(r"docker compose (?:up|run|stop|start|exec|logs|restart)[^\n`]*", result):
        words = [word for word in name.split()[3:] if not word.startswith("-")]
        if words and words[0][0].isalpha():
            assert words[0] in SERVICES, name
    for file in SERVER.iterdir():
        if file.name not in {"README.md", ".env", "books", "backups"}:
            assert file.name in result, file.name
    for block in re.findall(r"```yaml\n(.*?)```", result, re.DOTALL):
        assert set(yaml.safe_load(block)["services"]) <= set(SERVICES)
