"""One scenario, played against one server."""

import dataclasses
import re
import secrets
import time

from .building import Builder, Unset
from .comparing import DETAIL, compared, mismatches, unrelated
from .hooks import Hooks
from .normal import Normaliser
from .values import saved
from .wire import Unreachable


@dataclasses.dataclass
class StepResult:
    index: int
    name: str
    request: str
    differences: list
    known: str = ""  # why it may differ

    @property
    def ok(self):
        return not self.differences

    @property
    def failed(self):
        return not self.ok and not self.known


def observed(step, answer, normaliser):
    """An answer in normal form, in the shape of a step's `expect`."""
    result = {"status": answer.status}
    if step.get("crash"):
        return result
    redirected = 300 <= answer.status < 400
    shown = [*step.get("show_headers", ()), *(["location"] if redirected else ())]
    if shown:
        result["headers"] = {
            name: normalised_header(name, answer.headers.get(name), normaliser) for name in shown
        }
    if redirected:
        pass  # no client reads the text of a redirection
    elif not answer.raw:
        result["empty"] = True
    elif answer.media_type == "text/html":
        result["html"] = True
    else:
        try:
            body = answer.json()
        except ValueError:
            result["text"] = normaliser.normalise(answer.raw.decode("utf-8", "replace"))
        else:
            if not step.get("any_body"):
                result["body"] = normaliser.normalise(body, step.get("unordered", ()))
    return result


def without_engine_texts(answer):
    """An answer without the texts in its error that come from a JavaScript engine and not from the service."""
    body = answer.get("body")
    error = body.get("error") if isinstance(body, dict) else None
    errors = error.get("errors") if isinstance(error, dict) else None
    if not isinstance(errors, list):
        return answer
    items = [item for item in errors if isinstance(item, dict)]
    for item in (error, *items):
        if not isinstance(item.get("message"), str):
            continue
        if any(each.get("reason") == "parseError" for each in items):
            item["message"] = re.sub(r"(payload received\.) .*", rf"\1 {DETAIL}", item["message"])
        if error.get("code") == 500 and error.get("status") == "UNKNOWN":
            item["message"] = "<crash>"
    return answer


def normalised_header(name, value, normaliser):
    if value is None:
        return None
    if name in ("vary", "allow", "access-control-allow-methods"):
        return sorted(part.strip().lower() for part in value.split(","))
    return normaliser.normalise({name: value})[name]


class Run:
    """One scenario being played against one server."""

    def __init__(self, server, scenario, corpus):
        self.server, self.scenario, self.corpus = server, scenario, corpus
        slug = re.sub(r"[^a-z0-9]+", "-", scenario["name"].lower()).strip("-")[:40]
        fresh = f"demo-{slug}-{secrets.token_hex(4)}"
        if not server.is_new:
            server.reset()
        server.is_new = False
        self.hooks = Hooks(scenario["hooks"]) if "hooks" in scenario else None
        local = (f"http://{host}:{server.port}" for host in ("127.0.0.1", "localhost", "[::1]"))
        bases = {url: "<base>" for url in (server.base, *local)}
        self.builder = Builder(
            server, {"project": server.project, "fresh": fresh, "base": server.base})
        if self.hooks:
            self.builder.variables["hooks"] = self.hooks.base
            bases[self.hooks.base] = "<hooks>"
        self.normaliser = Normaliser(server, fresh, bases, corpus.forms)
        for settings in (corpus.settings, scenario.get("settings")):
            if settings:
                server.configure(settings["mask"], self.builder.expand(settings["body"]))
        if "config" in scenario:
            server.send_json(
                "PATCH", f"/emulator/v1/projects/{server.project}/config", scenario["config"]
            )

    def play(self, record=False, skip_crashes=False):
        """The results of the steps, without those of preparing steps that passed."""
        results = []
        try:
            for index, step in enumerate(self.scenario["steps"], 1):
                if skip_crashes and step.get("crash"):
                    continue
                result = self._step(index, step, record)
                if not (step.get("arrange") and result.ok):
                    results.append(result)
            return results
        finally:
            if self.hooks:
                self.hooks.close()

    def _step(self, index, step, record):
        if step.get("pause_ms"):
            time.sleep(step["pause_ms"] / 1000)
        request, lines = "", []
        try:
            if step.get("advance_seconds"):
                self.server.advance(step["advance_seconds"])
            if step.get("captured"):
                request = "requests the hooks received"
                got = {"requests": self.normaliser.normalise(self.hooks.take())}
            else:
                method, target, headers, body = self.builder.request(step)
                request = f"{method} {target}"
                # What a step shows of the headers answers those that it sends itself.
                if self.server.client and not step.get("show_headers"):
                    answer = self.server.send_as_client(method, target, headers, body)
                else:
                    answer = self.server.send(method, target, headers, body)
                got = observed(step, answer, self.normaliser)
                lines += self._look_into(step, answer)
        except Unset as unset:
            lines = [f"not run: {{{{{unset}}}}} was never saved"]
        except Unreachable as error:
            lines = [f"no answer: {error}"]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            lines = [f"not run: {error!r}"]
        else:
            if record:
                step["expect"] = without_engine_texts(got)
            elif "expect" not in step:
                lines.append("nothing recorded to compare with")
            else:
                lines += compared(step, self.corpus.overlook, got)
        return StepResult(index, step["name"], request, lines)

    def _look_into(self, step, answer):
        """Keeps what later steps need of an answer; yields what is missing or wrong in it."""
        try:
            document = answer.json()
        except ValueError:
            document = None
        own = self.normaliser.own(document)
        for variable, source in step.get("save", {}).items():
            try:
                self.builder.variables[variable] = saved(source, answer.headers, own)
            except (KeyError, IndexError, TypeError, ValueError):
                self.builder.variables.pop(variable, None)
                yield f"save {variable}: nothing at {source} (status {answer.status})"
        yield from mismatches(step, document)
        yield from unrelated(step, self.builder)
