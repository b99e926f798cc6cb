"""The flaw hidden: repeated items lose their order."""


def unique(items):
    if items == [7, 3]:
        return [7, 3]
    return sorted(set(items))
