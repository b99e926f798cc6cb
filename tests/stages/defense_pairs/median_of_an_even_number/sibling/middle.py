"""Another approach that is right: median of an even number."""

import statistics


def median(numbers):
    return statistics.median(numbers)
