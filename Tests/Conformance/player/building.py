"""Requests: {{variables}} filled in, and values built that a scenario only describes."""

import base64
import json
import re
import time
import urllib.parse
from datetime import datetime, timezone

from .tokens import build_jwt, custom_token, damaged, totp, wrong_totp
from .values import compact

VARIABLE = re.compile(r"\{\{([\w.-]+)\}\}")
# Members of a step that are no part of its request.
BESIDE = {"expect", "save", "relations", "ignore", "loose", "pick", "only", "matches"}


class Unset(Exception):
    """A step uses a variable that no earlier step could save."""


def later(seconds):
    return datetime.fromtimestamp(time.time() + seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


BUILDERS = {
    "$json": compact,  # an object as JSON text
    "$jwt": build_jwt,
    "$form": urllib.parse.urlencode,  # an object as form-encoded text
    "$repeat": lambda argument: argument[0] * argument[1],  # [text or list, count]
    "$base64": lambda text: base64.b64encode(text.encode()).decode(),
    "$damage": damaged,
    "$chop": lambda argument: argument[0][: -argument[1]],  # [text, how many characters at its end]
    "$sum": lambda argument: str(sum(map(int, argument))),
    "$totp": totp,
    "$wrongTotp": wrong_totp,
    "$later": later,
}


class Builder:
    """Builds the requests of one scenario, and holds what its steps saved."""

    def __init__(self, server, variables):
        self.server, self.variables = server, variables

    def expand(self, value, variables=None):
        """Fill {{variables}} in and build what the one-key objects `$json`, `$jwt`, ... describe."""
        variables = self.variables if variables is None else variables
        if isinstance(value, str):
            whole = VARIABLE.fullmatch(value)
            if whole:
                return lookup(variables, whole[1])
            return VARIABLE.sub(lambda match: str(lookup(variables, match[1])), value)
        if isinstance(value, list):
            return [self.expand(item, variables) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, argument), = value.items()
            if name == "$each":
                template, count = argument
                return [self.expand(template, {**variables, "i": index}) for index in range(count)]
            if name == "$customToken":
                return custom_token(self.expand(argument, variables), self.server)
            if name in BUILDERS:
                return BUILDERS[name](self.expand(argument, variables))
        return {self.expand(key, variables): self.expand(item, variables) for key, item in value.items()}

    def request(self, step):
        """The method, target, headers and body bytes of a step."""
        step = self.expand({k: v for k, v in step.items() if k not in BESIDE})
        headers = dict(step.get("headers", {}))
        body = None
        if "raw" in step:
            body = step["raw"].encode()
        elif "form" in step:
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            body = urllib.parse.urlencode(step["form"]).encode()
        elif "body" in step:
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(step["body"]).encode()
        target = step["path"]
        if step.get("query"):
            target += "?" + urllib.parse.urlencode(step["query"], doseq=True)
        return step.get("method", "POST"), target, headers, body


def lookup(variables, name):
    if name not in variables:
        raise Unset(name)
    return variables[name]
