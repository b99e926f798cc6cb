"""Contract file: a person's lines and answers survive, learned lines are rewritten, mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqa.core.contract import Answer, Line
from pqa.core.errors import UsageError
from pqa.instruments.contract_file import add_answers, read_contract, state_line, write_contract

LEARNED = Line("m.f", "sorted(seq)", 14, 14)
ANSWER = Answer("q1", "value", (3,), function="m.f", witness={"setup": [], "calls": [{"call": "m.f", "args": [1.0]}]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "contract.toml"


def test_a_missing_file_says_nothing(path: Path) -> None:
    assert read_contract(path) == ([], [])


def test_learned_lines_are_written_and_never_read_back(path: Path) -> None:
    write_contract(path, [LEARNED])
    assert 'relation = "sorted(seq)"\nseen = 14\nsupport = 14\nsource = "learned"' in path.read_text()
    assert read_contract(path) == ([], [])


def test_learned_lines_are_replaced_on_the_next_run(path: Path) -> None:
    write_contract(path, [LEARNED])
    write_contract(path, [Line("m.f", "unique(seq)", 3, 2)])
    assert ("sorted" in path.read_text(), "unique" in path.read_text()) == (False, True)


def test_a_persons_lines_and_comments_stay(path: Path) -> None:
    path.parent.mkdir()
    text = '# mine\n\n[[line]]\nfunction = "m.f"\nrelation = "not sorted(seq)" # any order\nsource = "person"\n'
    path.write_text(text)
    write_contract(path, [LEARNED])
    assert path.read_text().startswith(text)
    assert read_contract(path)[0] == [Line("m.f", "not sorted(seq)", source="person")]


def test_a_learned_line_that_a_person_settled_is_not_written_again(path: Path) -> None:
    state_line(path, Line("m.f", "not sorted(seq)", source="person"))
    write_contract(path, [LEARNED])
    assert path.read_text().count("[[line]]") == 1


def test_a_second_word_on_one_relation_takes_the_place_of_the_first(path: Path) -> None:
    state_line(path, Line("m.f", "not sorted(seq)", source="person"))
    state_line(path, Line("m.f", "sorted(seq)", source="person"))
    assert read_contract(path)[0] == [Line("m.f", "sorted(seq)", source="person")]


def test_an_answer_comes_back_as_it_was_given(path: Path) -> None:
    add_answers(path, [ANSWER])
    write_contract(path, [LEARNED])
    assert read_contract(path)[1] == [ANSWER]


def test_a_new_answer_to_a_question_takes_the_place_of_the_old(path: Path) -> None:
    add_answers(path, [ANSWER])
    add_answers(path, [Answer("q1", "either")])
    assert read_contract(path)[1] == [Answer("q1", "either")]


def test_writing_the_same_twice_changes_nothing(path: Path) -> None:
    write_contract(path, [LEARNED], [ANSWER])
    before = path.read_bytes()
    write_contract(path, [LEARNED], [ANSWER])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[line]", "is no valid TOML"),
        ("[[lines]]\nrelation = 'x'", "unknown key 'lines'"),
        ("[[line]]\nrelation = 'x'\ncolour = 1", "unknown key 'line.colour'"),
        ("[[line]]\nfunction = 'm.f'", "a [[line]] lacks the key 'relation'"),
        ("[[line]]\nrelation = 'x'\nseen = 'many'", "'line.seen' must be of type int"),
        ("[[line]]\nrelation = 'x'\nsource = 'god'", "'line.source' is 'god'"),
        ("[[answer]]\nkind = 'either'", "a [[answer]] lacks the key 'question_id'"),
        ("[[answer]]\nquestion_id = 'q'\nkind = 'maybe'", "'answer.kind' is 'maybe'"),
        ("[[answer]]\nquestion_id = 'q'\nkind = 'value'", "lacks the key 'value'"),
        ("line = 3", "'line' must be an array of tables"),
    ],
)
def test_a_mistake_is_named_with_the_file_and_the_key(path: Path, text: str, said: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_contract(path)
    assert said in caught.value.message
    assert str(path) in caught.value.message


TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(TEXT, st.lists(VALUES, min_size=1, max_size=3), st.sampled_from(["person", "reference"]))
def test_any_answer_survives_the_file(
    tmp_path_factory: pytest.TempPathFactory, name: str, values: list[object], source: str
) -> None:
    path = tmp_path_factory.mktemp("home") / "contract.toml"
    answer = Answer("q" + name, "value", tuple(values), source, name)
    write_contract(path, [], [answer])
    assert read_contract(path) == ([], [answer])
