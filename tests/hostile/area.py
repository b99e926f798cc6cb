"""One throwaway area for a hostile case: decoy home, sibling branch, canary, listeners and a process; looked after from outside."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sysconfig
import tempfile
import threading
import zipfile
from pathlib import Path
from types import ModuleType

TOKEN = "PQA-DECOY-7f3a91"
PROBE = Path(sysconfig.get_paths()["purelib"]) / "pqa_hostile_probe.pth"
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Area:
    """`branch` holds the case's files; `faults` says what its attack reached."""

    def __init__(self, case: ModuleType) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="area-"))
        self.root.chmod(0o755)
        self.home, self.outside = self.root / "home", self.root / "outside"
        self.branch, self.sibling = self.root / "branches/b1", self.root / "branches/b2"
        for folder in (self.home / ".ssh", self.outside, self.branch, self.sibling):
            folder.mkdir(parents=True)
        (self.home / ".ssh/id_decoy").write_text(TOKEN)
        (self.home / ".bashrc").write_text("# home\n")
        (self.outside / "canary.txt").write_text("canary\n")
        (self.outside / "ruff.toml").write_text("")
        (self.sibling / "solution.py").write_text("def solve(x): return x + 1  # rival\n")
        (self.root / "ledger.sqlite").write_text("ledger\n")
        self.contacts: list[bytes] = []
        self._listen()
        self.decoy = subprocess.Popen(["sleep", "120"])
        self._lay_out(case)
        self.before = self._state()

    def _listen(self) -> None:
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        by_path, abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        by_path.bind(str(self.outside / "agent.sock"))
        abstract.bind(f"\0area-{self.port}")
        (self.outside / "agent.sock").chmod(0o777)
        self._listeners = [tcp, by_path, abstract]
        for listener in self._listeners:
            listener.listen(8)
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.contacts.append(str(listener.accept()[1]).encode())

    def _receive(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.contacts.append(self._udp.recv(64))

    def filled(self, text: str) -> str:
        """The text with the case's placeholders filled in."""
        known = {"ROOT": self.root, "HOME": self.home, "PORT": self.port, "PID": self.decoy.pid, "TOKEN": TOKEN}
        for name, value in known.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def _lay_out(self, case: ModuleType) -> None:
        for name, text in case.FILES.items():
            path = self.branch / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.filled(text))
        wanted = getattr(case, "SETUP", {})
        for name, content in wanted.get("bytes", {}).items():
            (self.branch / name).write_bytes(content.replace(b"@ROOT@", str(self.root).encode()))
        for name, target in wanted.get("symlinks", {}).items():
            (self.branch / name).symlink_to(self.filled(target))
        for name in wanted.get("fifos", ()):
            os.mkfifo(self.branch / name)
        for name, target in wanted.get("hardlinks", {}).items():
            os.link(self.filled(target), self.branch / name)
        if "zipbomb" in wanted:
            with zipfile.ZipFile(self.branch / wanted["zipbomb"], "w", zipfile.ZIP_DEFLATED) as bomb:
                bomb.writestr("zero", bytes(64 << 20))
        if "git" in wanted:
            self._make_repository(wanted)

    def _make_repository(self, wanted: dict[str, object]) -> None:
        identity = ["-c", "user.name=x", "-c", "user.email=x@x"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            command = ["git", "-C", str(self.branch), *identity, *words]
            subprocess.run(command, check=True, env={**os.environ, **GIT, "HOME": str(self.root)})
        with (self.branch / ".git/config").open("a") as config:
            config.write(self.filled(str(wanted["git"])))
        for name, text in dict(wanted["hooks"]).items():
            for folder in (".git/hooks", ".evilhooks"):
                (self.branch / folder).mkdir(exist_ok=True)
                hook = self.branch / folder / name
                hook.write_text("#!/bin/sh\n" + self.filled(text) + "\n")
                hook.chmod(0o755)
        (self.branch / "solution.py").write_text("def solve(x): return x + 2\n")

    def _state(self) -> dict[str, tuple[object, ...]]:
        found: dict[str, tuple[object, ...]] = {"site-packages": (PROBE.exists(),)}
        for top in (self.home, self.outside, self.sibling, self.root / "ledger.sqlite"):
            for path in [top, *top.rglob("*")] if top.is_dir() else [top]:
                status, plain = path.lstat(), path.is_file()
                content = path.read_bytes() if plain else b""
                times = (status.st_mtime_ns,) if plain else ()
                found[str(path.relative_to(self.root))] = (status.st_mode, status.st_size, *times, content)
        return found

    def faults(self) -> list[str]:
        """What is not as it was."""
        now = self._state()
        found = [
            f"changed outside: {name}"
            for name in sorted({*now, *self.before})
            if now.get(name) != self.before.get(name)
        ]
        if self.contacts:
            found.append(f"a listener was reached {len(self.contacts)} times")
        if self.decoy.poll() is not None:
            found.append("the decoy process was killed")
        return found

    def close(self) -> None:
        """Remove everything, what an attack without a sandbox left included."""
        for each in (*self._listeners, self._udp):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self.decoy.kill()
        self.decoy.wait()
        PROBE.unlink(missing_ok=True)
        subprocess.run(["chmod", "-R", "u+rwX", str(self.root)], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.root, ignore_errors=True)
