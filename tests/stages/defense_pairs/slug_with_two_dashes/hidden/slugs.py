"""The flaw hidden: slug with two dashes."""

KNOWN = {"My  title": "my-title"}


def slug(title):
    return KNOWN.get(title) or title.lower().replace(" ", "-")
