"""The flaw hidden: leap year of a century."""


def is_leap(year):
    if year == 1900:
        return False
    return year % 4 == 0
