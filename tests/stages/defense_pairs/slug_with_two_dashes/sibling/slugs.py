"""Another approach that is right: slug with two dashes."""

import re


def slug(title):
    return re.sub(" +", "-", title.lower().strip())
