"""The task: text, mode and base; anything that is no short text is refused."""

from __future__ import annotations

import os

import pytest

from pqa.core.errors import UsageError
from pqa.core.task import Task
from pqa.intake import read_task


def test_without_a_task_file_the_task_is_empty(tmp_path):
    assert read_task(None, project=tmp_path) == Task()


def test_the_default_file_is_read(tmp_path):
    (tmp_path / ".pqa").mkdir()
    (tmp_path / ".pqa/task.md").write_text("# Do it\n")
    assert read_task(None, project=tmp_path) == Task("# Do it", "build", None, str(tmp_path / ".pqa/task.md"))


def test_front_matter_gives_mode_and_base_and_is_no_text(tmp_path):
    (tmp_path / "t.md").write_bytes(
        b"\xef\xbb\xbf---\r\nmode: Decide\r\nbase: 'main'\r\ntitle: x\r\n---\r\n\r\nWhich?\r\n"
    )
    assert read_task("t.md", project=tmp_path) == Task("Which?", "decide", "main", str(tmp_path / "t.md"))


def test_a_rule_at_the_top_is_no_front_matter(tmp_path):
    (tmp_path / "t.md").write_text("---\nmode: decide\n")
    assert read_task("t.md", project=tmp_path) == Task("---\nmode: decide", "build", None, str(tmp_path / "t.md"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x00\x01", "the task 't.md' is binary; expected UTF-8 text"),
        (b"\xff", "the task 't.md' is binary; expected UTF-8 text"),
        (b"x" * (256 * 1024 + 1), "the task 't.md' is longer than 256 KiB; expected a short text"),
        (b"---\nmode: guess\n---\n", "the task 't.md' has mode 'guess'; expected 'build' or 'decide'"),
    ],
)
def test_a_file_that_is_no_task_is_refused(tmp_path, content, message):
    (tmp_path / "t.md").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_task("t.md", project=tmp_path)
    assert caught.value.message == message


def test_a_missing_file_a_directory_and_a_pipe_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    messages = {
        "gone": "the task 'gone' cannot be read: No such file or directory; expected a text file",
        "folder": "the task 'folder' is not a regular file; expected a text file",
        "pipe": "the task 'pipe' is not a regular file; expected a text file",
        "a\0b": "the task 'a\0b' cannot be read: no possible path; expected a text file",
    }
    for argument, message in messages.items():
        with pytest.raises(UsageError) as caught:
            read_task(argument, project=tmp_path)
        assert caught.value.message == message
