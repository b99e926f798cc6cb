"""HOLDS: static checks and the runner load no plugin, config or module of the branch outside the sandbox (mypy plugins,
pytest -p/addopts, ruff extend, sitecustomize, shadowed stdlib names, setup.py, .pth, conftest above the tests).
"""

KIND = "static"
FILES = {
    "solution.py": "def solve(x: int) -> int:\n    return x + 1\n",
    "evil.py": "import os\nopen('@ROOT@/outside/PLUGIN_RAN', 'a').write(__name__ + chr(10))\ndef plugin(version):\n    from mypy.plugin import Plugin\n    return Plugin\n",
    "mypy.ini": "[mypy]\nplugins = evil.py\n",
    "pyproject.toml": "[tool.ruff]\nextend = '@ROOT@/outside/ruff.toml'\n[tool.pytest.ini_options]\naddopts = '-p evil'\n[tool.mypy]\nplugins = ['evil.py']\n[build-system]\nrequires = []\nbuild-backend = 'evil'\nbackend-path = ['.']\n",
    "sitecustomize.py": "import evil\n",
    "json.py": "import evil\n",
    "typing_extensions.py": "import evil\n",
    "setup.py": "import evil\n",
}
