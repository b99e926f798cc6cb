"""pqa: which of N candidate implementations, all green, may be merged, and what proves it."""

__version__ = "0.1.0"
