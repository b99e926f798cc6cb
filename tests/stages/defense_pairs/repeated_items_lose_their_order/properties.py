"""The property that the trigger of this pair breaks."""


def property_first_ones_stay_in_order(module, draw):
    items = draw.lists(lambda: draw.integers(0, 9), 0, 6)
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    assert module.unique(items) == seen
