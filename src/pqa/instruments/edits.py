"""Edits: does a text carry a change to code? An adversary breaks and never mends, so such a text is refused (S2, S21)."""

from __future__ import annotations

import re

FORBIDDEN_KEYS = frozenset(
    [
        "patch",
        "fix",
        "diff",
        "edit",
        "edits",
        "fixes",
        "suggestion",
        "suggested_fix",
        "replacement",
        "new_code",
        "remedy",
    ]
)
SHAPES = {
    "a diff": re.compile(
        r"^(?:diff --git |Index: \S|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|\*\*\* (?:Begin|Update|End) (?:Patch|File))"
        r"|^--- \S.*\n\+\+\+ \S|^<{7} |^>{7} |^={7}$.*^>{7}|^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:diff|patch)\b",
        re.MULTILINE | re.IGNORECASE,
    ),
    "a block of changed lines": re.compile(r"(?:^[-+][ \t]{2,}\S.*\n?){2,}", re.MULTILINE),
}
BEGIN = r"(?:^|[.;:!?\n]\s*|\b(?:should|must|please|just|simply|instead|then|to)\s+|^\s*[-*]\s*)"
WORDS = {
    "an edit ('replace ... with')": re.compile(
        BEGIN + r"(?:replace|substitute|swap)\s+[^\n]{1,200}?\s(?:with|by|for)\s", re.IGNORECASE | re.MULTILINE
    ),
    "an edit ('change ... to')": re.compile(
        BEGIN + r"(?:change|rewrite|refactor)\s+[^\n]{1,200}?\s(?:to|into|as|so that)\s", re.IGNORECASE | re.MULTILINE
    ),
    "a fix": re.compile(
        r"\b(?:suggested|proposed|recommended|possible|simple|easy|one-line)\s+(?:fix|patch|remedy|edit)\b"
        r"|(?:^|[.;!?\n]\s*)(?:fix|patch|remedy|solution)\s*:|\bthe\s+fix\s+is\b|\bto\s+fix\s+(?:this|it|that)\b"
        r"|\bfix\s+(?:this|it)\s+by\b|\bshould\s+be\s+(?:changed|replaced|rewritten)\b|\bapply\s+(?:this|the)\s+patch\b",
        re.IGNORECASE | re.MULTILINE,
    ),
}


def edit_in(text: str, *, prose: bool = True) -> str:
    """What kind of change to code the text carries, in words; "" for none. `prose`: its sentences are looked at too."""
    shapes = {**SHAPES, **WORDS} if prose else {"a diff": SHAPES["a diff"]}
    return next((kind for kind, shape in shapes.items() if shape.search(text)), "")
