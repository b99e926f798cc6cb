"""A true mend: repeated items lose their order."""


def unique(items):
    return list(dict.fromkeys(items))
