"""The fields of a new account: from the names of the admin SDKs to those of Identity Toolkit."""
import difflib
import json
import re

# The names of the admin SDK for Node.js; that for Python has the same in snake_case.
FIELDS = {
    "displayName": "displayName", "emailVerified": "emailVerified", "phoneNumber": "phoneNumber",
    "photoURL": "photoUrl", "disabled": "disabled", "customClaims": "customAttributes", "uid": "localId"}


def snake_case(name):
    return re.sub("(?<=[a-z])([A-Z]+)", lambda found: "_" + found[1].lower(), name)


SPELLINGS = {spelling: field for name, field in FIELDS.items() for spelling in (name, snake_case(name), field)
             # Its value would be JSON, unlike that of the other two.
             if spelling != "customAttributes"}


def account_fields(profile):
    """Returns the fields of a profile, and the text of an error or None. The text has no values of the profile."""
    fields = {}
    for name, value in profile.items():
        field = SPELLINGS.get(name)
        if field is None:
            spellings = {spelling.lower(): spelling for spelling in ("email", "password", *SPELLINGS)}
            near = difflib.get_close_matches(name.lower(), spellings, 1)
            hint = f"did you mean {spellings[near[0]]}?" if near else f"use one of {', '.join(FIELDS)}"
            return None, f"create_user: there is no field {name!r}\n  hint: {hint}"
        if field in fields:
            return None, f"create_user: {name!r} is given twice, in two spellings\n  hint: remove one of them"
        if field == "customAttributes":
            if not isinstance(value, dict):
                return None, f"create_user: {name!r} is a {type(value).__name__}\n  hint: pass a dictionary of claims"
            value = json.dumps(value)
        fields[field] = value
    return fields, None
