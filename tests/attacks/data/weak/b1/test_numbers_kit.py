from numbers_kit import Window, audit, clamp, half, label, stats


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_stats():
    assert stats([1, 2, 6]) == {"sum": 9, "largest": 6, "mean": 3.0}


def test_label():
    assert [label(n) for n in (2, 3, 4, 9)] == ["few", "few", "many", "many"]


def test_audit():
    records = []
    audit(records, " started ")
    assert records == ["started"]


def test_window():
    clock = Clock()
    clock.now = 3.0
    window = Window(2, 10.0, clock)
    assert [window.allow() for _ in range(3)] == [True, True, False]
    clock.now = 12.5
    assert window.allow() is False
    clock.now = 13.0
    assert [window.allow() for _ in range(3)] == [True, True, False]
    clock.now = 22.5
    assert window.allow() is False
    clock.now = 23.0
    assert window.allow() is True


def test_half():
    assert [half(n) for n in (8, 9)] == [4, 4]


def test_clamp():
    assert [clamp(n, 0, 10) for n in (-5, 0, 5, 10, 15)] == [0, 0, 5, 10, 10]
