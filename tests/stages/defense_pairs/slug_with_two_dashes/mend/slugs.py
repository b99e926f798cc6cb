"""A true mend: slug with two dashes."""


def slug(title):
    return "-".join(title.lower().split())
