"""HOLDS: the tool never unpickles, imports, evaluates, YAML-loads or extracts anything of a branch outside the sandbox;
archives and deep JSON/XML are bounded.
"""

KIND = "tree"
FILES = {
    "solution.py": "def solve(x): return x + 1\n",
    "deep.json": "[" * 100000 + "]" * 100000,
    "lol.xml": '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(8))
    + "]><l>&i;</l>",
    "big_int.py": "X = " + "9" * 5000 + "\n",
    "nest.py": "X = " + "(" * 150 + ")" * 150 + "\n",
    "bad_enc.py": "# -*- coding: no-such-codec -*-\n",
}
SETUP = {
    "bytes": {"fixture.pkl": b"cos\nsystem\n(S'touch @ROOT@/outside/PICKLE_RAN'\ntR.", "nul.py": b"x = 1\0\n"},
    "zipbomb": "fixture.zip",
}
