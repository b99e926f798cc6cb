"""Remote: stands for a branch's modules, classes and instances in this process; every call goes to the branch's child."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pqa.core.ports import Conversation
from pqa.core.trigger import Json
from pqa.core.values import decode, encode

CALL_SECONDS = 15.0
MAXIMUM_CALLS = 2_000


class CouldNotCheck(Exception):
    """The property cannot be judged on this branch: a call gave no answer that can be compared."""


class Remote:
    """One conversation with a branch's child; logs the set-up, the calls and the answers as a trigger holds them."""

    def __init__(self, conversation: Conversation, modules: Sequence[str]) -> None:
        self._conversation = conversation
        self._modules = tuple(modules)
        self._clocks: dict[str, Callable[[], float]] = {}
        self._errors: dict[str, type[Exception]] = {}
        self.setup: list[Mapping[str, Json]] = []
        self.calls: list[Mapping[str, Json]] = []
        self.answers: list[Mapping[str, Json]] = []

    def reset(self) -> None:
        """Forget the instances of an earlier example."""
        self._say({"reset": True})

    def module(self) -> RemoteModule:
        """The branch's modules as one namespace: a name is looked up in each of them in turn."""
        return RemoteModule(self, self._modules)

    def _say(self, message: Mapping[str, Json]) -> Mapping[str, Json]:
        return self._conversation.say(message, seconds=CALL_SECONDS)

    def look(self, name: str) -> Mapping[str, Json] | None:
        """What a dotted name stands for, or None when the branch has no such name."""
        answer = self._say({"look": name})
        found = answer.get("value")
        return found if isinstance(found, dict) else None

    def build(self, class_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> RemoteObject:
        """A new instance in the branch; callables among the arguments become clocks that follow their readings."""
        coded = [self._argument(arg) for arg in args], {key: self._argument(arg) for key, arg in kwargs.items()}
        name = f"object{len(self.setup)}"
        item = {"name": name, "new": class_name, "args": coded[0], "kwargs": coded[1]}
        answer = self._say({"setup": item})
        self.setup.append(item)
        self._result(answer)
        return RemoteObject(self, name)

    def call(self, on: str | None, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Make one call and give its result, or raise what it raised."""
        if len(self.calls) >= MAXIMUM_CALLS:
            raise CouldNotCheck(f"the property makes more than {MAXIMUM_CALLS} calls")
        item: dict[str, Json] = {"on": on, "call": what, "args": [self._argument(arg) for arg in args]}
        item["kwargs"] = {key: self._argument(arg) for key, arg in kwargs.items()}
        readings = {name: float(clock()) for name, clock in self._clocks.items()}
        if readings:
            item["at"] = next(iter(readings.values()))
        answer = self._say({"call": {key: value for key, value in item.items() if key != "at"}, "clocks": readings})
        self.calls.append(item)
        self.answers.append(answer)
        return self._result(answer)

    def _argument(self, value: Any) -> Json:
        if isinstance(value, RemoteObject):
            return {"$name": value.remote_name}
        if callable(value) and not isinstance(value, type):
            return {"$name": self._clock(value)}
        if isinstance(value, list | tuple):
            inner = [self._argument(item) for item in value]
            return inner if isinstance(value, list) else {"$type": "tuple", "value": inner}
        return encode(value)

    def _clock(self, reading: Callable[[], float]) -> str:
        for name, known in self._clocks.items():
            if known is reading:
                return name
        name = "clock" if not self._clocks else f"clock{len(self._clocks)}"
        item = {"name": name, "clock": float(reading())}
        self._say({"setup": item})
        self.setup.append(item)
        self._clocks[name] = reading
        return name

    def _result(self, answer: Mapping[str, Json]) -> Any:
        if "raises" in answer:
            raise self.error(str(answer["raises"]))(str(answer.get("message", "")))
        if "value" not in answer:
            raise CouldNotCheck("a call did not return in time" if "timeout" in answer else "a result is too large")
        return self._decoded(answer["value"])

    def _decoded(self, value: Json) -> Any:
        if isinstance(value, dict) and "$name" in value:
            return RemoteObject(self, str(value["$name"]))
        try:
            return decode(value)
        except ValueError as error:
            raise CouldNotCheck(f"a result has no plain form: {error}") from error

    def error(self, name: str) -> type[Exception]:
        """The exception class of this name: Python's own, or a stand-in for the branch's."""
        known = getattr(builtins, name, None)
        if isinstance(known, type) and issubclass(known, Exception) and known is not AssertionError:
            return known
        return self._errors.setdefault(name, type(name, (Exception,), {}))


class RemoteModule:
    """The public names of a branch's modules."""

    def __init__(self, remote: Remote, prefixes: Sequence[str]) -> None:
        self._remote = remote
        self._prefixes = tuple(prefixes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._prefixes:
            return RemoteModule(self._remote, (name,))
        for prefix in self._prefixes:
            found = self._remote.look(f"{prefix}.{name}")
            if found is not None:
                return self._stand_in(f"{prefix}.{name}", found)
        raise CouldNotCheck(f"the branch has no '{name}'")

    def _stand_in(self, dotted: str, found: Mapping[str, Json]) -> Any:
        if found.get("kind") == "class" and found.get("exception"):
            return self._remote.error(dotted.rpartition(".")[2])
        if found.get("kind") == "class":
            return lambda *args, **kwargs: self._remote.build(dotted, args, kwargs)
        if found.get("kind") == "callable":
            return lambda *args, **kwargs: self._remote.call(None, dotted, args, kwargs)
        return decode(found.get("value"))


class RemoteObject:
    """An instance that lives in the branch's child."""

    def __init__(self, remote: Remote, name: str) -> None:
        self.remote_name = name
        self._remote = remote

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._remote.call(self.remote_name, name, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._remote.call(self.remote_name, "__call__", args, kwargs)

    def __len__(self) -> int:
        return int(self._remote.call(self.remote_name, "__len__", (), {}))

    def __getitem__(self, key: Any) -> Any:
        return self._remote.call(self.remote_name, "__getitem__", (key,), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._remote.call(self.remote_name, "__setitem__", (key, value), {})

    def __contains__(self, key: Any) -> bool:
        return bool(self._remote.call(self.remote_name, "__contains__", (key,), {}))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._remote.call(self.remote_name, "__iter__", (), {}))
