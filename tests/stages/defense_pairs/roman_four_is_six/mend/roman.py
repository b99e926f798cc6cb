"""A true mend: roman four is six."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}


def number(text):
    total = 0
    for letter, following in zip(text, text[1:] + "I", strict=True):
        value = VALUES[letter]
        total += -value if value < VALUES[following] else value
    return total
