"""Ahead: a sandbox is chosen, and attacked to see whether it holds, while the request is still being read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from pqa.core.ports import Sandbox
from pqa.sandbox.choose import choose_sandbox


@contextlib.contextmanager
def choosing_sandbox(*, unsafe: bool, environ: Mapping[str, str]) -> Iterator[Callable[[], Sandbox]]:
    """A function that waits for the sandbox, or raises NoSandbox; it is closed at the end, also where nobody asked for it.

    A request that is wrong says so first: what is wrong with the machine is raised only by that function.
    """
    with ThreadPoolExecutor(1, "pqa-sandbox") as pool:
        choice = pool.submit(choose_sandbox, unsafe=unsafe, environ=environ)
        try:
            yield choice.result
        finally:
            if choice.exception() is None:
                choice.result().close()
