"""Puts a project of an emulator back to the state that it had before."""
import contextlib
import urllib.parse

# Registrations of providers, with the query parameter of a new one's id.
PROVIDERS = {"oauthIdpConfigs": "oauthIdpConfigId", "inboundSamlConfigs": "inboundSamlConfigId",
             "defaultSupportedIdpConfigs": "idpId"}


def differences(before, now, path=()):
    """The paths of fields in which two messages differ; for a new field that of its parent."""
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, (*path, name))
        elif old != new:
            # The compatible rules keep a field that the body lacks.
            yield ".".join(path if path and name not in before else (*path, name))


def last(resource):
    """The id at the end of a resource's name."""
    return resource["name"].rpartition("/")[2]


class Reset:
    """What an emulator had at the start: settings, tenants, registrations of providers, faults and test users."""

    def __init__(self, emulator, refusal):
        __tracebackhide__ = True
        self._emulator, self._refusal = emulator, refusal
        self._toolkit = f"/identitytoolkit.googleapis.com/v2/projects/{emulator.project}"
        self._controls = f"/emulator/v1/projects/{emulator.project}"
        # An address at which nothing responds is an error here, and not a part that the emulator lacks.
        emulator.request("GET", "/")
        self._faults = self._read("/emulator/v1/faults")
        with self._without_faults():
            self._config = self._read(f"{self._toolkit}/config")
            self._switches = self._read(f"{self._controls}/config")
            self._people = self._read("/emulator/v1/people")
            self._providers = self._registrations(self._toolkit)
            self._tenants = {
                last(tenant): (tenant, self._registrations(self._path_of(tenant))) for tenant in self._list("tenants")}

    def run(self):
        __tracebackhide__ = True
        with self._without_faults():
            # Before the settings, which may turn tenants off, and after them, which may turn tenants on.
            self._reset_tenants()
            if self._reset_settings():
                self._reset_tenants()
            self._emulator.request("DELETE", f"{self._controls}/accounts")
            self._reset_people()

    def _read(self, path):
        """A part of the state, or None if the emulator does not have it: it differs by rules, and by emulator."""
        __tracebackhide__ = True
        try:
            return self._emulator.request("GET", path)
        except self._refusal:
            return None

    def _list(self, name, path=None):
        __tracebackhide__ = True
        found, token = [], ""
        while True:
            query = urllib.parse.urlencode({"pageSize": 100, "pageToken": token})
            page = self._read(f"{path or self._toolkit}/{name}?{query}") or {}
            found += page.get(name, [])
            token = page.get("nextPageToken", "")
            if not token:
                return found

    @contextlib.contextmanager
    def _without_faults(self):
        """Removes the faults for a while, as they would make these requests fail, and sets those of the start."""
        now = self._read("/emulator/v1/faults")
        if now and now["faults"]:
            self._emulator.request("DELETE", "/emulator/v1/faults")
        try:
            yield
        finally:
            if self._faults and self._faults["faults"]:
                self._emulator.request("PUT", "/emulator/v1/faults", self._faults)

    def _path_of(self, tenant):
        return f"{self._toolkit}/tenants/{last(tenant)}"

    def _reset_tenants(self):
        __tracebackhide__ = True
        for tenant in self._list("tenants"):
            self._emulator.request("DELETE", f"{self._controls}/tenants/{last(tenant)}/accounts")
            before, providers = self._tenants.get(last(tenant), (None, None))
            if before is None:
                self._emulator.request("DELETE", self._path_of(tenant))
                continue
            if before != tenant:
                self._emulator.request("PATCH", self._path_of(tenant), before)
            self._reset_providers(self._path_of(tenant), providers)

    def _reset_settings(self):
        """Returns whether the settings had changed."""
        __tracebackhide__ = True
        self._reset_providers(self._toolkit, self._providers)
        changed = False
        for path, before in ((f"{self._toolkit}/config", self._config), (f"{self._controls}/config", self._switches)):
            now = self._read(path)
            if before is None or now is None or before == now:
                continue
            changed = True
            # Only the calls of Google's API have a mask.
            mask = "" if before is self._switches else f"?updateMask={','.join(sorted({*differences(before, now)}))}"
            self._emulator.request("PATCH", path + mask, before)
        return changed

    def _registrations(self, path):
        return {kind: {last(entry): entry for entry in self._list(kind, path)} for kind in PROVIDERS}

    def _reset_providers(self, path, before):
        __tracebackhide__ = True
        for kind, now in self._registrations(path).items():
            for name in now:
                if now[name] != before[kind].get(name):
                    self._emulator.request("DELETE", f"{path}/{kind}/{name}")
            for name, entry in before[kind].items():
                if now.get(name) != entry:
                    self._emulator.request("POST", f"{path}/{kind}?{PROVIDERS[kind]}={name}", entry)

    def _reset_people(self):
        __tracebackhide__ = True
        now = self._read("/emulator/v1/people")
        if self._people is None or now is None or self._people == now:
            return
        for person in now["people"]:
            if person not in self._people["people"]:
                email = urllib.parse.quote(person["email"])
                self._emulator.request("DELETE", f"/emulator/v1/people?email={email}")
        for person in self._people["people"]:
            if person not in now["people"]:
                self._emulator.request("POST", "/emulator/v1/people", person)
