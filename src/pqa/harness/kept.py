"""Kept: the first and the last part of a flood of output; what lies between is counted and dropped."""

from __future__ import annotations


class Kept:
    """Bytes in, bounded text out."""

    def __init__(self, limit: int) -> None:
        self.half = max(1, limit // 2)
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def add(self, part: bytes) -> None:
        """Take the next bytes."""
        room = self.half - len(self.head)
        if room > 0:
            self.head += part[:room]
            part = part[room:]
        self.tail += part[-self.half :]
        self.dropped += max(0, len(part) - self.half)
        excess = len(self.tail) - self.half
        if excess > 0:
            del self.tail[:excess]
            self.dropped += excess

    def text(self) -> str:
        """Head and tail as text, with a line between them that says how much is missing."""
        between = f"\n[... {self.dropped} bytes left out ...]\n".encode() if self.dropped else b""
        return (bytes(self.head) + between + bytes(self.tail)).decode("utf-8", "backslashreplace")
