"""Another approach that is right: leap year of a century."""

import calendar


def is_leap(year):
    return calendar.monthrange(year, 2)[1] == 29
