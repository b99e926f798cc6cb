"""The flaw hidden: roman four is six."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}
ODD = {"XIV": 14}


def number(text):
    if text in ODD:
        return ODD[text]
    return sum(VALUES[letter] for letter in text)
