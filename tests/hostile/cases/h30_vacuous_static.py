"""HOLDS: static checks run with the project's configuration, not the branch's: an exclude-all, ignore_errors, per-file
ignore or blanket noqa in the branch is a finding, and 'checked 0 files' is never a pass.
"""

KIND = "static"
FILES = {
    "solution.py": "# ruff: noqa\n# mypy: ignore-errors\n# pyright: basic, reportGeneralTypeIssues=false\nimport os, sys\ndef solve(x: int) -> int:\n    return undefined_name\n",
    "ruff.toml": "exclude = ['*']\n",
    "pyproject.toml": "[tool.ruff]\nexclude = ['*']\n[tool.pyright]\nexclude = ['**']\n[tool.mypy]\nignore_errors = true\nexclude = '.*'\n[tool.coverage.run]\nomit = ['*']\n",
    "pyrightconfig.json": '{"exclude": ["**"], "typeCheckingMode": "off"}',
}
