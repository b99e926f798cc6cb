"""As it was attacked: median of an even number."""


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]
