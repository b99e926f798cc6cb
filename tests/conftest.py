"""For all tests: Ctrl-C reaches the programs that tests start, even where the shell that started pytest ignores it."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """A job in the background of a script inherits an ignored SIGINT, and so would every program that a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
