"""Where an answer differs from the expected one."""

import copy
import re

from .building import Unset
from .values import brief, found

HIDDEN = "UkVEQUNURUQ="  # the marker that stands for a hash which the caller may not see


def is_opaque(value):
    """Whether it is a generated value of at least 16 characters, or the placeholder of one."""
    return isinstance(value, str) and (len(value) >= 16 or re.fullmatch(r"<\w+:\d+>", value) is not None)


def is_text(value):
    return isinstance(value, str) and value != ""


def is_number(value):
    return isinstance(value, str) and value.isdecimal()


# Placeholders of an expectation that many values satisfy.
KINDS = {
    "<any>": lambda value: True,
    "<text>": is_text,
    "<present>": is_text,
    "<digits>": is_number,
    "<number>": is_number,
    "<bytes>": lambda value: isinstance(value, str) and len(value) >= 8 and value != HIDDEN,
    "<hash>": lambda value: isinstance(value, str),
    "<jwt>": lambda value: isinstance(value, dict) and bool(value.get("$jwt", {}).get("signed")),
    "<reason>": is_text,
    "<crash>": is_text,
    "<kid>": is_opaque,
    "<secret>": is_opaque,
    "<sessionInfo>": is_opaque,
    "<sessionId>": is_opaque,
}


# What stands for the text of a JavaScript engine within a message.
DETAIL = "<detail>"


def satisfies(actual, expected):
    """Whether a value is one of those that a placeholder stands for."""
    if expected in KINDS:
        return KINDS[expected](actual)
    if DETAIL in expected and isinstance(actual, str):
        return re.fullmatch(".*".join(map(re.escape, expected.split(DETAIL))), actual) is not None
    return False


def differences(expected, actual, at):
    """Readable lines, one for each place where two normalised documents differ."""
    if isinstance(expected, str) and satisfies(actual, expected):
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in expected.keys() | actual.keys():
            if key not in actual:
                yield f"{at}.{key}: missing, expected {brief(expected[key])}"
            elif key not in expected:
                yield f"{at}.{key}: unexpected {brief(actual[key])}"
            else:
                yield from differences(expected[key], actual[key], f"{at}.{key}")
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{at}: expected {len(expected)} items, got {len(actual)}: {brief(actual)}"
        for index, (one, other) in enumerate(zip(expected, actual)):
            yield from differences(one, other, f"{at}[{index}]")
    elif type(expected) is not type(actual) or expected != actual:
        yield f"{at}: expected {brief(expected)}, got {brief(actual)}"


def compared(step, overlook, actual):
    """The differences of an answer in normal form from what its step expects."""
    expected, actual = step["expect"], copy.deepcopy(actual)
    ignored = set(step.get("ignore", step.get("loose", ())))
    if ignored:
        expected, actual = without(expected, ignored), without(actual, ignored)
    if not step.get("strict"):
        for rule in overlook:
            expected, actual = overlooked(expected, rule), overlooked(actual, rule)
    paths = step.get("pick", step.get("only"))
    if paths and isinstance(expected.get("body"), dict) and not isinstance(expected["body"].get("error"), dict):
        strict = step.get("strict", False)
        expected, actual = picked(expected, paths, strict), picked(actual, paths, strict)
    return sorted(differences(expected, actual, "answer"))


def without(value, keys):
    """The document without these keys at any depth."""
    if isinstance(value, dict):
        return {key: without(item, keys) for key, item in value.items() if key not in keys}
    if isinstance(value, list):
        return [without(item, keys) for item in value]
    return value


def overlooked(value, rule):
    """The document without what a rule of its set overlooks: see README.md, "A set"."""
    if isinstance(value, list):
        return [overlooked(item, rule) for item in value]
    if not isinstance(value, dict):
        return value
    concerned = all(
        key in value and re.fullmatch(pattern, str(value[key]))
        for key, pattern in rule.get("in", {}).items())
    absent = rule["absent"] if concerned else {}
    return {
        key: overlooked(item, rule)
        for key, item in value.items()
        if key not in absent or any(differences(absent[key], item, ""))
    }


def picked(answer, paths, strict):
    """The answer with these members of its body only; what is absent counts as null, and false as absent."""
    body = answer.get("body")
    if not isinstance(body, dict):
        return answer
    body = body if strict else without_false(body)
    chosen = {}
    for path in paths:
        chosen[path], = [body[path]] if path in body else found(body, path) or [None]
    return {**answer, "body": chosen}


def without_false(value):
    if isinstance(value, dict):
        return {key: without_false(item) for key, item in value.items() if item is not False}
    return [without_false(item) for item in value] if isinstance(value, list) else value


def mismatches(step, document):
    """Lines for the values of an answer, as it was sent, that do not match their pattern."""
    for path, pattern in step.get("matches", {}).items():
        value = "".join(map(str, found(document, path)))
        if not re.fullmatch(pattern, value):
            yield f"answer.body.{path}: {value!r} does not match {pattern}"


RELATIONS = {
    "same": lambda one, other: one == other,
    "different": lambda one, other: one != other,
    "later": lambda one, other: int(one) > int(other),
    "earlier": lambda one, other: int(one) < int(other),
}


def unrelated(step, builder):
    """Lines for relations that do not hold: [left, "same"|"different"|"later"|"earlier", right]."""
    for left, how, right in step.get("relations", ()):
        try:
            one, other = builder.expand(left), builder.expand(right)
            holds = RELATIONS[how](one, other)
        except (Unset, ValueError) as error:
            yield f"relation {left} {how} {right}: {error}"
            continue
        if not holds:
            yield f"relation {left} {how} {right} does not hold: {brief(one, 60)} and {brief(other, 60)}"
