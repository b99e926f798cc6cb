import store


def test_singleton_is_one():
    assert store.Settings() is store.Settings()
    assert store.Settings.made == 1


def test_level_is_kept():
    before = store.Settings().level
    assert before >= 3
    assert store.Settings().raise_level() == before + 1
    assert store.Settings().level == before + 1


def test_fib():
    assert [store.fib(n) for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_fib_is_cached():
    store.fib(20)
    assert store.fib.cache_info().currsize >= 8


def test_lookups_are_kept():
    store.forget()
    assert store.looked_up("ab") == 5
    assert store.looked_up("ab") == 5
    assert store.calls() == 1


def test_lookups_without_forgetting():
    assert store.looked_up("abc") == 6
    assert store.calls() >= 1


def test_registry():
    assert sorted(store.REGISTRY) == ["double", "square"]
    assert store.apply("double", 4) == 8
    assert store.apply("square", 4) > 8


def test_gather_grows():
    first = store.gather("x")
    assert store.gather("y") == first + 1


def test_tick():
    first = store.tick()
    assert first > 10
    assert store.tick() == first + 1
