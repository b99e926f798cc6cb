"""As it was attacked: slug with two dashes."""


def slug(title):
    return title.lower().replace(" ", "-")
