"""Foreign text cannot move the cursor, reorder a line, or pass for markup."""

from __future__ import annotations

import pytest

from pqa.reports.text import make_console, percent, plain, plain_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\nb\tc\r\nd\u2028e", "a b c  d e"),
        ("a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"),
        ("a\u200bb\ufeffc\u2060d", "a\\u200bb\\ufeffc\\u2060d"),
        ("\x9b31m\x7f\x00", "\\x9b31m\\x7f\\x00"),
        ("a\xa0b", "a b"),
        ("\udcff", "\\udcff"),
        ("[red]é 漢[/red]", "[red]é 漢[/red]"),
        (17, "17"),
    ],
)
def test_control_characters_are_spelled_out(text, shown):
    assert plain(text) == shown


def test_length_is_bounded_and_the_cut_is_seen():
    assert plain("x" * 10, length=10) == "x" * 10
    assert plain("x" * 11, length=10) == "x" * 9 + "…"
    assert plain("\n" * 100 + "x", length=10) == "…"


def test_lines_are_bounded_and_the_rest_is_counted():
    assert plain_lines("a\n\n\x1b[1mb\nc\nd", count=2) == ["a", "b", "… 2 more lines"]
    assert plain_lines("a\nb\nc", count=2) == ["a", "b", "… 1 more line"]


def test_a_full_percentage_means_all():
    assert [percent(share) for share in (100.0, 99.99, 91.0, 0.0)] == ["100 %", "99 %", "91 %", "0 %"]


def test_a_console_reads_no_markup(capsys):
    make_console(width=80).print("[red]x[/red] :smile:")
    assert capsys.readouterr().out == "[red]x[/red] :smile:\n"
