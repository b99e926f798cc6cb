"""Another approach that is right: repeated items lose their order."""


def unique(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
