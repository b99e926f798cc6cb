"""As it was attacked: one page too many."""


def page_count(items, size):
    return items // size + 1
