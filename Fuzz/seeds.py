"""Makes first inputs of the fuzz target from recorded exchanges: python seeds.py SCENARIOS FOLDER"""
import json
import pathlib
import re
import sys
import urllib.parse

SEPARATOR = b"\x1e"


def plain(value):
    """A body as JSON, with the builders of scenarios left as they are: any JSON will do."""
    return json.dumps(value, separators=(",", ":"))


def request(step, names):
    query = urllib.parse.urlencode(
        {name: text for name, text in step.get("query", {}).items() if isinstance(text, str)})
    path = step.get("path", "/") + (f"?{query}" if query else "")
    headers = step.get("headers", {})
    letters = "o" if "Authorization" in headers or "authorization" in headers else ""
    if "form" in step:
        letters, body = letters + "f", urllib.parse.urlencode(
            {name: text for name, text in step["form"].items() if isinstance(text, str)})
    elif "body" in step:
        letters, body = letters + "j", plain(step["body"])
    else:
        body = step.get("raw", "") if isinstance(step.get("raw"), str) else ""
    text = f"{step.get('method', 'GET')} {path}\n{letters}\n{body}"
    text = text.replace("{{project}}", "demo-luath").replace("{{fresh}}", "demo-fresh")
    for variable, name in names.items():
        text = text.replace(f"{{{{{variable}}}}}", f"${name}").replace(
            urllib.parse.quote(f"{{{{{variable}}}}}"), f"${name}")
    return text.encode("utf-8", "replace")


def saved(step):
    """Variables of a step, by the name of the answer's field they come from."""
    for variable, source in step.get("save", {}).items():
        yield variable, re.split(r"[.:#]", source)[-1]


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for number, file in enumerate(sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))):
        names, requests = {}, []
        for step in json.loads(file.read_text(encoding="utf-8")).get("steps", ()):
            if "path" not in step:
                continue
            requests.append(request(step, names))
            names |= dict(saved(step))
        for first in range(0, len(requests), 12):
            data = SEPARATOR.join(requests[first:first + 12])
            (folder / f"{number:03}-{first:02}").write_bytes(data)


if __name__ == "__main__":
    main()
