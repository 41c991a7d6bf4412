"""SDKs, as far as a server can see which one calls."""

from .wire import Unreachable

JSON_TYPE = {"Content-Type": "application/json"}
# What the SDKs send with every request, whatever its method and body.
CLIENTS = {
    "web": {
        **JSON_TYPE, "Origin": "https://app.kelp.test", "Referer": "https://app.kelp.test/",
        "Accept": "*/*", "Accept-Encoding": "identity", "Accept-Language": "de-CH,de;q=0.9,en;q=0.8",
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0",
        "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty",
        "Pragma": "no-cache", "Cache-Control": "no-cache",
        "X-Client-Version": "Chrome/JsCore/12.18.0/FirebaseCore-web",
        "X-Firebase-Client": "eyJ2ZXJzaW9uIjoyLCJoZWFydGJlYXRzIjpbXX0",
        "X-Firebase-gmpid": "1:12345:web:0123456789abcdef",
    },
    "ios": {
        **JSON_TYPE, "Accept": "*/*", "Accept-Encoding": "identity", "Accept-Language": "fr",
        "User-Agent": "FirebaseAuth.iOS/12.4.0 test.kelp/1.0 iPhone/26.0 hw/sim",
        "X-Client-Version": "iOS/FirebaseSDK/12.4.0/FirebaseCore-iOS",
        "X-Firebase-Client": "H4sIAAAAAAAAAKtWSkxOLklNUbJSUirOTCvJTEktBgBm5g",
        "X-Firebase-GMPID": "1:12345:ios:0123456789abcdef", "X-Firebase-Locale": "fr",
        "X-Ios-Bundle-Identifier": "test.kelp", "X-Firebase-AppCheck": "fake-app-check-token",
    },
    "android": {
        **JSON_TYPE, "Accept-Encoding": "identity", "Accept-Language": "ja, en-US",
        "User-Agent": "Dalvik/2.1.0 (Linux; U; Android 16; sdk_gphone64 Build/BP22)",
        "X-Client-Version": "Android/Fallback/X23002001/FirebaseCore-Android",
        "X-Firebase-Client": "H4sIAAAAAAAAAKtWykhNLCpJSk0sKVayio7VUSpLLSrOzM9TslIyUqoFAFyivEQfAAAA",
        "X-Firebase-GMPID": "1:12345:android:0123456789abcdef", "X-Firebase-Locale": "ja",
        "X-Android-Package": "test.kelp", "X-Android-Cert": "61ED377E85D386A8DFEE6B864BD85B0BFAA5AF81",
    },
    "server": {
        "Accept": "application/json, text/plain, */*", "Accept-Encoding": "identity",
        "User-Agent": "fire-admin/13.10.0", "X-Client-Version": "Node/Admin/13.10.0",
        "X-Goog-Api-Client": "gl-node/20.20.2 fire-admin/13.10.0",
    },
}
# The headers that a page may send without asking first (the Fetch standard, section 2.2.2).
UNASKED = {"accept", "accept-language", "origin", "referer", "user-agent", "accept-encoding", "pragma",
           "cache-control"}


class Client:
    """An SDK, as far as a server can see which one calls: by its headers, by connections that stay open and,
    in a browser, by preflights."""

    def __init__(self, name):
        self.headers = CLIENTS[name]

    def send(self, server, method, target, headers, body):
        named = {name.lower() for name in headers}
        # A step that is about preflights or credentials of a page says everything itself.
        if method != "OPTIONS":
            added = {name: value for name, value in self.headers.items() if name.lower() not in named}
            headers = {**headers, **added}
        if "Origin" in self.headers and method != "OPTIONS":
            self.ask(server, method, target, headers)
        return server.send(method, target, headers, body)

    def ask(self, server, method, target, headers):
        """Asks like a browser whether the page may send the request; a refusal ends it."""
        names = sorted(name.lower() for name in headers)
        asked = ",".join(
            name for name in names if name not in UNASKED and not name.startswith("sec-"))
        answer = server.send("OPTIONS", target, {
            "Origin": headers["Origin"], "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": asked})
        allowed = answer.headers.get("access-control-allow-methods", "").split(",")
        if (answer.status != 204 or method not in allowed
                or answer.headers.get("access-control-allow-origin") != headers["Origin"]
                or answer.headers.get("access-control-allow-headers") != asked):
            raise Unreachable(f"the preflight of {method} {target} was refused: {answer}")
