"""As it was attacked: repeated items lose their order."""


def unique(items):
    return sorted(set(items))
