"""Another approach that is right: roman four is six."""

PAIRS = (("IV", "IIII"), ("IX", "VIIII"), ("XL", "XXXX"))


def number(text):
    for short, long in PAIRS:
        text = text.replace(short, long)
    return sum({"I": 1, "V": 5, "X": 10, "L": 50}[letter] for letter in text)
