"""As it was attacked: leap year of a century."""


def is_leap(year):
    return year % 4 == 0
