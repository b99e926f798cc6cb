"""Mutant session: one pytest session of the suite that is collected and then handed to somebody who runs its tests.

job: "paths", "root", "copy", "code", "extra" as for `suite`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import hollow
import suite
import suite_options


def open_session(
    job: Mapping[str, Any], context: Any, loop: Callable[[Any, Any], bool], plugins: Callable[[Any], list[Any]]
) -> int:
    """Collect, then call `loop(pytest, session)`; where that is False, pytest's own loop goes on. pytest's exit status."""
    root = suite.prepare_root(job, context)
    os.chdir(root)
    hollow.warm_up(context)
    pytest = suite.trusted("pytest", context)
    if pytest is None:
        return -1

    class Hooks:
        """What pytest calls."""

        def pytest_runtestloop(self, session: Any) -> Any:
            if session.testsfailed and not session.config.option.continue_on_collection_errors:
                return None
            return True if loop(pytest, session) else None

    pytest.hookimpl(tryfirst=True)(Hooks.pytest_runtestloop)
    arguments = suite_options.arguments(job, root, context, own=not job.get("copy"))
    return int(pytest.main([*job["paths"], *arguments], plugins=[Hooks(), *plugins(pytest)]))
