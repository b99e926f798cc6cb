"""The JSON document: whole or not at all, readable again, refused early where it could not be written."""

from __future__ import annotations

import json

import pytest

from pqa.core import codec
from pqa.core.errors import UsageError
from pqa.reports import json_file


def test_a_file_holds_the_document_and_no_temporary_file_stays(run, tmp_path):
    (tmp_path / "out.json").write_text("old")
    json_file.write(run, str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text()) == codec.to_json(run)
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_dash_is_standard_output(run, capsys):
    json_file.write(run, "-")
    assert capsys.readouterr() == (codec.dump(codec.to_json(run)), "")


@pytest.mark.parametrize("target", ["missing/out.json", "."])
def test_a_target_that_cannot_be_written_is_refused_before_the_run(tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        json_file.check_target(target)
    assert caught.value.message == f"--json '{target}' cannot be written; expected a file in an existing folder, or '-'"


def test_a_file_or_a_dash_may_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [json_file.check_target(target) for target in ("-", "out.json")] == [None, None]
