"""Suite options: which of pytest's arguments hold, whatever the branch's own configuration says."""

from __future__ import annotations

import configparser
import importlib.metadata
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Optional

ALWAYS_FOR_PYTEST = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
CONFIGURATION_FILES = (*ALWAYS_FOR_PYTEST, "pyproject.toml", "tox.ini", "setup.cfg")
TOML_ADDOPTS = re.compile(
    r"^addopts\s*=\s*(\[[^\]]*\]|\"\"\".*?\"\"\"|'''.*?'''|\"[^\"]*\"|'[^']*')", re.MULTILINE | re.DOTALL
)
KEPT = ("--import-mode", "--asyncio-mode", "--strict-markers")
QUIET = ["-q", "--tb=short", "--color=no", "--maxfail=0"]
RELOADED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""Libraries that the fork server loaded are no news, and must not fail a project that turns warnings into errors."""
ALWAYS = [*QUIET, "-W", RELOADED, "-p", "no:cacheprovider", "-p", "no:randomly", "-o", "addopts="]


def arguments(job: Mapping[str, Any], root: str, context: Any, *, own: bool) -> list[str]:
    """What follows the paths on pytest's command line."""
    kept = kept_options(addopts(root))
    base = [*ALWAYS, "--rootdir=" + root, "--confcutdir=" + root, *kept, *job.get("extra", ())]
    if own:
        return base
    configuration = next((path for path in configurations(root) if says_something(path)), os.devnull)
    blocked = [argument for name in plugins_of(context.import_roots) for argument in ("-p", "no:" + name)]
    return [*base, "-c", configuration, "-o", "pythonpath=", *blocked]


def configurations(root: str) -> Iterator[str]:
    """Files in which pytest looks for its configuration, in its order."""
    for name in CONFIGURATION_FILES:
        path = os.path.join(root, name)
        if os.path.isfile(path):
            yield path


def says_something(path: str) -> bool:
    """Whether a configuration file has a section for pytest."""
    text = _text(path)
    if os.path.basename(path) in ALWAYS_FOR_PYTEST:
        return True
    return "[tool.pytest" in text or "[pytest]" in text or "[tool:pytest]" in text


def addopts(root: str) -> list[str]:
    """The project's own `addopts`, as separate arguments."""
    for path in configurations(root):
        if not says_something(path):
            continue
        found = _toml_addopts(_text(path)) if path.endswith(".toml") else _ini_addopts(path)
        try:
            return found if isinstance(found, list) else shlex.split(found or "")
        except ValueError:
            return []
    return []


def _toml_addopts(text: str) -> Any:
    start = text.find("[tool.pytest") if "[tool.pytest" in text else text.find("[pytest]")
    section = text[max(0, start) :]
    found = TOML_ADDOPTS.search(section)
    if found is None:
        return ""
    if found[1].startswith("["):
        return re.findall(r"[\"']([^\"']*)[\"']", found[1])
    return found[1].strip("\"'")


def _ini_addopts(path: str) -> Optional[str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return None
    for section in ("pytest", "tool:pytest"):
        if parser.has_option(section, "addopts"):
            return parser.get(section, "addopts")
    return None


def kept_options(words: list[str]) -> list[str]:
    """Options that change how tests are found and imported, but not which of them are run."""
    kept: list[str] = []
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word == "-p" and following:
            kept += ["-p", following]
        elif word.startswith("-p") and not word.startswith("--") and len(word) > len("-p"):
            kept.append(word)
        elif word.split("=")[0] in KEPT:
            kept += [word] if "=" in word or word == "--strict-markers" else [word, following]
    return kept


def plugins_of(roots: tuple[str, ...]) -> list[str]:
    """Names of pytest plug-ins that the branch would bring along as an installed distribution."""
    names = set()
    for distribution in importlib.metadata.distributions(path=list(roots)):
        try:
            names |= {entry.name for entry in distribution.entry_points if entry.group == "pytest11"}
        except Exception:
            continue
    return sorted(names)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            return source.read(1 << 20)
    except OSError:
        return ""
