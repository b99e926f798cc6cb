"""As it was attacked: roman four is six."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}


def number(text):
    return sum(VALUES[letter] for letter in text)
