"""The sentence of the task as a property: pqa draws the calls, the branch answers, the assertion judges."""


def property_no_span_holds_more_than_the_limit(module, draw):
    """No span of `window` seconds may hold more than `limit` accepted calls per key."""
    limit = draw.integers(1, 4)
    window = draw.choice([4.0, 16.0, 64.0])
    pauses = draw.lists(lambda: draw.integers(0, 8), 1, 24)
    now = 0.0
    limiter = module.RateLimiter(limit, window, lambda: now)
    accepted = []
    for pause in pauses:
        now += pause * window / 8
        if limiter.allow("ada"):
            accepted.append(now)
    for begin in accepted:
        held = [moment for moment in accepted if begin <= moment < begin + window]
        assert len(held) <= limit, f"{len(held)} accepted within {window} seconds, the limit is {limit}: {held}"
