"""pqa contract: what it shows, what it writes, and that the next collide keeps to it."""

from __future__ import annotations

import shutil
from pathlib import Path

from pqa import cli
from pqa.core import codec

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
CONTRACT = """\
# ours
[[line]]
function = "shop.total"
relation = "sorted(prices)"
seen = 4
support = 3
source = "learned"

[[line]]
function = "cart.add"
relation = "count > 0"
source = "person"
"""


def write(project, text=CONTRACT):
    (project / ".pqa").mkdir()
    (project / ".pqa/contract.toml").write_text(text)


def test_lines_are_shown_as_a_table(project, capsys):
    write(project)
    assert cli.run(["contract"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["function", "relation", "seen", "support", "source"],
        ["shop.total", "sorted(prices)", "4", "3", "learned"],
        ["cart.add", "count", ">", "0", "person"],
    ]


def test_one_function_alone_is_shown(project, capsys):
    write(project)
    assert cli.run(["contract", "--function", "cart.add"]) == 0
    assert "shop.total" not in capsys.readouterr().out
    assert cli.run(["contract", "--function", "none"]) == 2
    path = project / ".pqa/contract.toml"
    assert capsys.readouterr().err == f"pqa: '{path}' holds no line of 'none'\nnext: run 'pqa collide' first\n"


def test_a_persons_line_takes_the_place_of_the_learned_one_and_of_its_opposite(project, capsys):
    write(project)
    assert cli.run(["contract", "set", "shop.total", "sorted( prices )"]) == 0
    assert capsys.readouterr().out == "shop.total: sorted(prices); the next 'pqa collide' keeps to it\n"
    assert cli.run(["contract", "free", "shop.total", "sorted(prices)"]) == 0
    text = (project / ".pqa/contract.toml").read_text()
    assert text.startswith("# ours\n")
    assert text.count("sorted(prices)") == 1
    assert 'relation = "not sorted(prices)"' in text


def test_relation_that_says_not_is_refused(project, capsys):
    assert cli.run(["contract", "set", "shop.total", "not sorted(prices)"]) == 2
    assert capsys.readouterr().err.startswith("pqa: 'not sorted(prices)' is no relation; expected one as")


def test_freed_time_shift_is_not_held_against_a_class(project):
    shutil.copytree(EXAMPLE / ".pqa/branches", project / ".pqa/branches")
    assert cli.run(["collide", "--attacks", "differential", "--json", "before.json"]) == 0
    assert cli.run(["contract", "free", "limiter.RateLimiter", "time-shift"]) == 0
    assert cli.run(["collide", "--attacks", "differential", "--json", "after.json"]) == 0
    before, after = (codec.load((project / name).read_text()) for name in ("before.json", "after.json"))
    assert [(one.branch_id, one.category) for one in before.findings] == [("b0", "time-shift")]
    assert after.findings == ()
