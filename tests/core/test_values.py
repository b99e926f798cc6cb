"""Values: a form that stands for no value is refused with one kind of error, whatever a branch wrote into it."""

from __future__ import annotations

import pytest

from pqa.core.values import decode


@pytest.mark.parametrize(
    "form",
    [
        {"$type": "other", "value": "<x>"},
        {"$type": "decimal", "value": "one"},
        {"$type": "fraction", "value": "1/0"},
        {"$type": "dict", "value": [[[1], 2]]},
        {"$type": "dict", "value": [[1]]},
        {"$type": "set", "value": [[1]]},
        {"$type": "tuple"},
        {"$type": "complex", "value": [1]},
        {"$type": "timedelta", "value": [1e400]},
        {"$type": "int", "value": "seven"},
        {"$type": "date", "value": "tomorrow"},
        {"$type": "bytes", "value": "€"},
        {"$type": []},
    ],
)
def test_a_form_that_stands_for_no_value_is_refused(form: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        decode(form)
    with pytest.raises(ValueError):
        decode([1, {"key": form}])


def test_a_form_that_stands_for_a_value_gives_it() -> None:
    assert decode({"$type": "dict", "value": [[{"$type": "tuple", "value": [1]}, 2]]}) == {(1,): 2}
    assert decode([1, {"key": {"$type": "set", "value": [2]}}]) == [1, {"key": {2}}]
