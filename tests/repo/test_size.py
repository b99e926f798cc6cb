"""Files and functions stay small, are named for a noun, and open with a docstring that says what they are."""

from __future__ import annotations

import ast
from pathlib import Path

FILE_LINES = 300
TEST_FILE_LINES = 500
FUNCTION_LINES = 40
ATTICS = {"utils", "util", "common", "helpers", "helper", "misc"}


def python_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if "__pycache__" not in file.parts and "data" not in file.parts)


def long_file(source: str, limit: int) -> str | None:
    count = len(source.splitlines())
    return f"{count} lines, the limit is under {limit}" if count >= limit else None


def long_functions(source: str, limit: int = FUNCTION_LINES) -> list[str]:
    """Functions with too many lines, from `def` to their end, nested ones and docstrings counted."""
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    sizes = [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in functions]
    return [f"{name}: {size} lines, the limit is under {limit}" for name, size in sizes if size >= limit]


def opens_with_docstring(source: str) -> bool:
    """Whether the very first line is the docstring's first line, and says something."""
    lines = source.splitlines()
    docstring = ast.get_docstring(ast.parse(source))
    return bool(lines and lines[0].startswith('"""') and docstring and docstring.splitlines()[0].strip())


def test_files_in_src_stay_short(root: Path) -> None:
    found = {
        str(file.relative_to(root)): long_file(file.read_text(), FILE_LINES) for file in python_files(root / "src")
    }

    assert {name: words for name, words in found.items() if words} == {}


def test_test_files_stay_readable(root: Path) -> None:
    files = python_files(root / "tests") + python_files(root / "tools")
    found = {str(file.relative_to(root)): long_file(file.read_text(), TEST_FILE_LINES) for file in files}

    assert {name: words for name, words in found.items() if words} == {}


def test_functions_in_src_stay_short(root: Path) -> None:
    found = {str(file.relative_to(root)): long_functions(file.read_text()) for file in python_files(root / "src")}

    assert {name: functions for name, functions in found.items() if functions} == {}


def test_no_module_is_an_attic(root: Path) -> None:
    files = python_files(root / "src") + python_files(root / "tests")

    assert [str(file.relative_to(root)) for file in files if attic(file.relative_to(root))] == []


def attic(path: Path) -> bool:
    return not ATTICS.isdisjoint({path.stem.strip("_"), *path.parent.parts})


def test_every_file_opens_with_its_docstring(root: Path) -> None:
    files = python_files(root / "src") + python_files(root / "tests") + python_files(root / "tools")

    assert [str(file.relative_to(root)) for file in files if not opens_with_docstring(file.read_text())] == []


def test_file_check_counts_to_its_limit() -> None:
    assert long_file("x = 1\n" * 299, 300) is None
    assert long_file("x = 1\n" * 300, 300) == "300 lines, the limit is under 300"


def test_function_check_counts_to_its_limit() -> None:
    def function(lines: int) -> str:
        return "class C:\n    async def method(self):\n" + "        pass\n" * (lines - 1)

    assert long_functions(function(39)) == []
    assert long_functions(function(40)) == ["method: 40 lines, the limit is under 40"]


def test_attic_check_knows_names_and_folders() -> None:
    seen = [attic(Path(name)) for name in ("src/pqa/utils.py", "src/pqa/core/_common.py", "src/pqa/helpers/text.py")]

    assert seen == [True, True, True]
    assert not attic(Path("src/pqa/core/branch.py"))


def test_docstring_check_wants_it_on_the_first_line() -> None:
    good, late, missing, empty = '"""One."""\n', '# x\n"""One."""\n', "x = 1\n", '"""   """\n'

    assert [opens_with_docstring(text) for text in (good, late, missing, empty, "")] == [
        True,
        False,
        False,
        False,
        False,
    ]
