"""What the player prints and writes."""

import dataclasses
import json
import pathlib
from collections import Counter

from .values import brief

SHOWN_PER_STEP = 12


def report(path, results, stale, verbose):
    failed = [result for result in results if result.failed]
    if failed or stale:
        print(f"FAIL {path}: {len(failed)} of {len(results)} steps")
    elif verbose:
        print(f"ok   {path}: {len(results)} steps")
    for result in failed:
        print(f"  step {result.index}, {result.name}\n    {brief(result.request, 200)}")
        for line in result.differences[:SHOWN_PER_STEP]:
            print(f"      {line}")
        if len(result.differences) > SHOWN_PER_STEP:
            print(f"      and {len(result.differences) - SHOWN_PER_STEP} more")
    for line in stale:
        print(f"  {line}")


class Tally:
    """Counts by family and the result of every step."""

    def __init__(self):
        self.families, self.steps = {}, []

    def add(self, path, scenario, results, stale):
        name = scenario.get("family", path.parent.name)
        family = self.families.setdefault(name, Counter())
        family["scenarios"] += 1
        family["scenarios passed"] += not stale and not any(result.failed for result in results)
        family["steps"] += len(results) + len(stale)
        family["steps passed"] += sum(result.ok for result in results)
        family["steps known"] += sum(bool(result.known) for result in results)
        about = {"file": str(path), "family": name, "scenario": scenario["name"]}
        for result in results:
            self.steps.append({**about, "ok": result.ok, **dataclasses.asdict(result)})

    @property
    def total(self):
        return sum(self.families.values(), Counter())

    @property
    def passed(self):
        """Whether nothing differed but what is known to."""
        total = self.total
        return total["steps"] == total["steps passed"] + total["steps known"]

    def show(self):
        print(f"{'family':<22}{'scenarios':>12}{'steps':>12}")
        for family, count in sorted(self.families.items()):
            scenarios = f"{count['scenarios passed']}/{count['scenarios']}"
            steps = f"{count['steps passed']}/{count['steps']}"
            print(f"{family:<22}{scenarios:>12}{steps:>12}")
        total = self.total
        if total["steps known"]:
            print(f"known differences: {total['steps known']} steps")
        for unit in ("steps", "scenarios"):
            passed = total[f"{unit} passed"]
            failed = total[unit] - passed - total[f"{unit} known"]
            print(f"{unit}: {passed} passed, {failed} failed")

    def write(self, path, base_url):
        document = {"base_url": base_url, "total": self.total, "families": self.families}
        document["steps"] = self.steps
        pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
