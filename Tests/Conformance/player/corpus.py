"""Where scenarios lie, and what those of one folder have in common."""

import functools
import json
import os
import pathlib

DESCRIPTION = "set.json"
KNOWN = "differences.json"


class ScenarioSet:
    """What `set.json` says about the scenarios of its folder; README.md lists its members."""

    def __init__(self, path=None):
        self.folder = path.parent if path else None
        description = json.loads(path.read_text(encoding="utf-8")) if path else {}
        self.emulator = [
            str(option).replace("{{set}}", str(self.folder)) for option in description.pop("emulator", ())]
        self.fresh = description.pop("fresh", False)
        self.project = description.pop("project", None)
        self.settings = description.pop("settings", None)
        self.forms = description.pop("forms", {})
        self.overlook = description.pop("overlook", [])
        description.pop("about", None)
        if description:
            raise ValueError(f"{path}: unknown members: {', '.join(sorted(description))}")

    @classmethod
    def of(cls, file):
        """The set that a file belongs to: the nearest description in its folder or above."""
        paths = (parent / DESCRIPTION for parent in file.resolve().parents)
        return described(next((path for path in paths if path.is_file()), None))


@functools.cache
def described(path):
    """One object for each set: a server that was started for it plays all its scenarios."""
    return ScenarioSet(path)


def scenario_files(arguments):
    """The files that are named, and the scenarios of the folders that are."""
    for argument in map(pathlib.Path, arguments):
        if argument.is_dir():
            yield from (
                path for path in sorted(argument.rglob("*.json"))
                if path.name not in (DESCRIPTION, KNOWN))
        else:
            yield argument


class KnownDifferences:
    """Steps that are known to differ, each with the reason; a step that passes does not belong there.

    The list names a step by its file, number and name: `accounts/create-values 3 "a number"`.
    """

    def __init__(self, path):
        self.folder = path.resolve().parent
        self.reasons = {
            step: entry["reason"]
            for entry in json.loads(path.read_text(encoding="utf-8"))
            for step in entry["steps"]
        }

    def judge(self, file, results):
        """Moves the reasons of known differences into the results; lists the steps that no longer differ."""
        scenario = os.path.relpath(file.resolve(), self.folder).removesuffix(".json")
        differing = {f'{scenario} {result.index} "{result.name}"': result for result in results if not result.ok}
        stale = []
        for label in [label for label in self.reasons if label.startswith(scenario + " ")]:
            reason = self.reasons.pop(label)
            if label in differing:
                differing[label].known = reason
            else:
                stale.append(f"{label} does not differ: delete it from {KNOWN}")
        return stale
