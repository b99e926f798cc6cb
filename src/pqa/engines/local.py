"""Local engine: jobs side by side in threads of this process; each job's foreign code runs in its own sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class LocalEngine:
    """Runs at most `workers` jobs at once; a job waits on a sandbox most of its time, so threads suffice."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or max(2, os.cpu_count() or 2)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of `items`; when one fails, those not yet begun are cancelled and its error is raised."""
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="job")
        futures: list[Future[Result]] = [pool.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
