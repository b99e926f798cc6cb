"""Leftovers: files that a case makes in the working folder, removed before the next case, so that cases stay apart."""

from __future__ import annotations

import contextlib
import os
import shutil


class Leftovers:
    """Knows what lay in the working folder at first; what is changed in place stays changed."""

    def __init__(self) -> None:
        self.folder = os.getcwd()
        self.first = self._names()

    def _names(self) -> set[str]:
        try:
            return set(os.listdir(self.folder))
        except OSError:
            return set()

    def remove(self) -> None:
        """Go back to the folder and remove what has come since."""
        with contextlib.suppress(OSError):
            os.chdir(self.folder)
        for name in self._names() - self.first - {"__pycache__"}:
            path = os.path.join(self.folder, name)
            with contextlib.suppress(OSError):
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)
