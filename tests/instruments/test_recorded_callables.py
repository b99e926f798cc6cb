"""The recorder knows the callables that tests pass by what they answered."""

from __future__ import annotations


def form(
    name: str, answers: list[object] | None = None, otherwise: object = None, number: int = 0
) -> dict[str, object]:
    stand_in = {"name": name, "id": number, "answers": answers or [], "otherwise": otherwise}
    return {"$type": "callable", "value": stand_in}


EACH = "def each(action, items):\n    return [action(item) for item in items]\n"


def arguments(record, tests: str, code: str = EACH) -> list[object]:
    return [call.args[0] for call in record(code, tests).calls]


def test_what_a_callable_answered_is_recorded_by_its_arguments(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    assert each(lambda n: n * 2, [1, 3]) == [2, 6]\n"
    assert arguments(record, tests) == [form("action", [[[1], {}, {"value": 2}], [[3], {}, {"value": 6}]])]


def test_a_callable_that_gives_back_its_argument_does_so_for_all(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    assert each(lambda n: n, [1, 3]) == [1, 3]\n"
    assert arguments(record, tests) == [form("action", otherwise={"echo": 0})]


def test_a_method_of_a_list_is_a_sink(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    seen = []\n    each(seen.append, [1])\n    assert seen == [1]\n"
    assert arguments(record, tests) == [form("action", otherwise={"value": None})]


def test_a_constant_that_was_never_called_is_known_by_its_code(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    assert each(lambda n: 7, []) == []\n"
    assert arguments(record, tests) == [form("action", otherwise={"value": 7})]


def test_a_callable_that_was_never_called_and_is_no_constant_is_not_known(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    assert each(lambda n: n + 7, []) == []\n"
    assert arguments(record, tests) == [{"$type": "other", "value": "callable"}]


def test_a_callable_that_raises_is_recorded_with_the_name_of_its_exception(record) -> None:
    tests = """
        import pytest
        from m import Busy, retry

        def test_m():
            answers = [Busy(), OSError(), 5]

            def operation():
                answer = answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return answer

            assert retry(operation) == 5
        """
    code = """
        class Busy(Exception):
            pass

        def retry(operation):
            while True:
                try:
                    return operation()
                except (Busy, OSError):
                    continue
        """
    answers = [[[], {}, {"raises": "m.Busy"}], [[], {}, {"raises": "OSError"}], [[], {}, {"value": 5}]]
    assert arguments(record, tests, code) == [form("operation", answers)]


def test_closures_of_one_body_are_told_apart_by_what_they_hold(record) -> None:
    tests = """
        from m import each

        def times(factor):
            return lambda n: n * factor

        def test_m():
            assert each(times(2), [1]) == [2]
            assert each(times(3), [1]) == [3]
        """
    assert arguments(record, tests) == [
        form("action", [[[1], {}, {"value": 2}]]),
        form("action", [[[1], {}, {"value": 3}]]),
    ]


def test_the_same_callable_is_the_same_in_one_life(record) -> None:
    code = """
        class Bus:
            def __init__(self):
                self.all = []

            def add(self, handler):
                self.all.append(handler)

            def drop(self, handler):
                self.all.remove(handler)

            def send(self, text):
                for handler in self.all:
                    handler(text)
        """
    tests = """
        from m import Bus

        def test_m():
            bus, first, second = Bus(), [], []
            one, two = first.append, second.append
            bus.add(one)
            bus.add(two)
            bus.drop(one)
            bus.send("a")
            assert (first, second) == ([], ["a"])
        """
    silent = {"value": None}
    (trace,) = record(code, tests).traces
    assert [(call.function, call.args) for call in trace.calls] == [
        ("add", (form("handler", otherwise=silent),)),
        ("add", (form("handler", otherwise=silent, number=1),)),
        ("drop", (form("handler", otherwise=silent),)),
        ("send", ("a",)),
    ]


def test_a_callable_that_got_what_has_no_plain_form_is_not_known(record) -> None:
    tests = "from m import each\n\ndef test_m():\n    assert each(id, []) == []\n    each(lambda n: n, [object()])\n"
    assert arguments(record, tests) == [{"$type": "other", "value": "callable"}] * 2


def test_what_the_branch_itself_offers_is_known_by_its_name(record) -> None:
    code = """
        class Promo:
            @staticmethod
            def large(total):
                return total > 3

        def twice(number):
            return number * 2

        def each(action, items):
            return [action(item) for item in items]
        """
    tests = """
        from m import Promo, each, twice

        def test_m():
            assert each(twice, [1]) == [2]
            assert each(Promo.large, [4]) == [True]
            each(Promo, [])
        """
    assert arguments(record, tests, code) == [
        {"$type": "public", "value": name} for name in ("m.twice", "m.Promo.large", "m.Promo")
    ]
