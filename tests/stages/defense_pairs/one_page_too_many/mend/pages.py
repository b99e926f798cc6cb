"""A true mend: one page too many."""


def page_count(items, size):
    return -(-items // size)
