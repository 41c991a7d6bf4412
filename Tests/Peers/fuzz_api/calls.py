"""Makes Lua scripts of random calls: most arguments of the declared types, some of others, in all places where Lua calls
a function."""
import re

PRELUDE = r'''
local modules, pool, seen = {}, {}, { called = 0 }
for _, name in ipairs { MODULES } do modules[name] = require(name) end
local task, Auth = require "luath.task", require "luath.auth"
local function keep(kind, value)
  if value ~= nil then
    pool[kind] = pool[kind] or {}
    table.insert(pool[kind], value)
  end
end
-- By what it is, also where no declaration says it.
local function keepAll(...)
  for index = 1, select("#", ...) do
    local value = select(index, ...)
    local own = debug.getmetatable(value)
    local name = type(own) == "table" and rawget(own, "__name")
    if type(name) == "string" then keep(name, value) end
    if type(value) == "table" and not own then
      for _, inner in next, value do
        local meta = debug.getmetatable(inner)
        if type(meta) == "table" and type(rawget(meta, "__name")) == "string" then keep(meta.__name, inner) end
      end
    end
  end
  return ...
end
local function one(kind)
  local list = pool[kind]
  return list and list[(seen.called * 7) % #list + 1]
end
local function call(f, ...)
  seen.called = seen.called + 1
  return keepAll(f(...))
end
local function method(object, name, ...) return call(object[name], object, ...) end
local auth = Auth.auth()
keep("Auth", auth)
keepAll(auth:createUser("ada@x.example", "correct horse"))
keepAll(auth.currentUser)
keepAll(Auth.OAuthProvider "microsoft.com", Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
keep("Task", task.spawn(function() task.sleep(0.01) end))
-- Something of each class to begin with.
local emulator, http, ui = modules["luath.emulator"], modules["luath.http"], modules["luath.ui"]
local admin = modules["luath.admin"].admin()
local ada = { username = "ada@contoso.example", password = "luath-demo" }
for _, make in ipairs {
  function() return admin, admin:createUser { email = "bob@x.example", password = "correct horse" } end,
  function() return admin:listUsers() end,
  function() return auth.currentUser.multiFactor, auth.currentUser.providerData[1] end,
  function() return auth.currentUser.multiFactor:getSession() end,
  function() admin:updateUser(auth.currentUser.uid, { emailVerified = true }) end,
  function() return Auth.TOTPMultiFactorGenerator.generateSecret(auth.currentUser.multiFactor:getSession()) end,
  function() return Auth.PhoneAuthProvider() end,
  function() return auth:addStateDidChangeListener(print) end,
  function() return ui.form(ada), http.get(emulator.origin) end,
  function() return modules["luath.actor"].new { email = "eve@x.example", password = "correct horse" } end,
  function() return modules["luath.expect"](1), modules["luath.expect"].any.string end,
  function() return auth:session(), auth:signIn(Auth.OAuthProvider "microsoft.com", ui.form(ada)) end,
  function() return auth:session(), auth:signIn { email = "ada@x.example", password = "correct horse" } end,
  function()
    local client = modules["luath.oidc"].client {
      issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp",
      clientSecret = "luath-secret-oidc.corp", redirectURI = "http://127.0.0.1:8910/callback",
    }
    return client, client:begin(), client:signIn(ui.form(ada))
  end,
} do
  -- What some rules refuse is left out.
  keepAll(select(2, pcall(make)))
end
for kind, list in pairs(pool) do seen.classes = (seen.classes or 0) + 1 end
local function limited(f) return pcall(task.timeout, 0.3, f) end
'''

# Where a call can stand; `%s` is the call.
PLACES = [
    "limited(function() %s end)",
    "limited(function() %s end)",
    "pcall(function() %s end)",
    "limited(function() return (function() %s end)() end)",
    "task.spawn(function() pcall(function() %s end) end)",
    "keep('Task', task.spawn(function() pcall(function() %s end) end)) method(one 'Task', 'cancel')",
    "pcall(coroutine.wrap(function() %s end))",
    "do local co = coroutine.create(function() %s end) coroutine.resume(co) pcall(coroutine.close, co) end",
    "setmetatable({}, { __gc = function() %s end }) collectgarbage()",
    "seen[#seen + 1] = setmetatable({}, { __gc = function() %s end })",
    "pcall(function() local c <close> = setmetatable({}, { __close = function() %s end }) end)",
    "pcall(function() local c <close> = setmetatable({}, { __close = function() %s end }) error('x') end)",
    "pcall(table.sort, { 3, 1, 2 }, function(a, b) %s return a < b end)",
    "pcall(string.gsub, 'abc', '%%w', function() %s end)",
    "xpcall(function() error 'x' end, function() %s end)",
    "pcall(function() return setmetatable({}, { __index = function() %s end }).x end)",
    "pcall(function() return tostring(setmetatable({}, { __tostring = function() %s return 'x' end })) end)",
    "pcall(function() for _ in function() %s return nil end do end end)",
    "pcall(task.all, { function() %s end, function() task.sleep(0.001) end })",
    "pcall(task.race, { function() %s end, function() end })",
    "pcall(load([[local call, method, one, modules, auth = ... %s]]), call, method, one, modules, auth)",
    "pcall(function() auth:addStateDidChangeListener(function() pcall(function() %s end) end) end)",
]

WORDS = [
    "ada@x.example", "bob@x.example", "correct horse", "microsoft.com", "google.com", "password", "", "x" * 300,
    "\\0", "\\255\\254", "..", "/", "%s%n", "eyJhbGciOiJub25lIn0.e30.", "http://127.0.0.1:1/", "+15555550100", "S256",
    "https://x.example/?a=b&c", "ΟΔΟΣ", "-1", "1e400", "journey", "file", "file.json", "{}", "[1,2", "\\n",
]
NUMBERS = ["0", "1", "-1", "2^53", "1/0", "-1/0", "0/0", "0.5", "math.maxinteger", "math.mininteger", "1e300", "17"]
JUNK = [
    "nil", "true", "false", "{}", "{ 1, 2 }", "{ a = { b = {} } }", "print", "coroutine.create(print)", "io.stdout",
    "setmetatable({}, { __index = error })", "setmetatable({}, { __len = function() return -1 end })",
    "function() error 'f' end", "function() task.sleep(0.001) end", "function(...) return ... end", "auth", "modules",
    "(function() local t = {} t.t = t return t end)()", "setmetatable({}, { __name = 'User' })", "string.rep('a', 70000)",
]


class Maker:
    """Makes scripts of one sequence of random numbers."""

    def __init__(self, functions, fields, random):
        self.functions, self.fields, self.random = functions, fields, random

    def script(self, calls):
        modules = sorted({one.owner for one in self.functions if one.owner.startswith("luath")})
        prelude = PRELUDE.replace("MODULES", ", ".join(f'"{name}"' for name in modules))
        lines = [self.random.choice(PLACES).replace("%s", self.statement()).replace("%%", "%")
                 for _ in range(calls)]
        # A function of Lua may have 200 variables, and a file any number of functions.
        return prelude + "\n".join(f"(function() {line} end)();" for line in lines) + "\nprint(seen.called, seen.classes)\n"

    def statement(self):
        if self.fields and self.random.random() < 0.15:
            owner, field = self.random.choice(self.fields)
            if self.random.random() < 0.5:
                return f"keepAll(one '{owner}'.{field})".replace("keepAll(", "call(print and function(v) return v end, ")
            return f"one '{owner}'.{field} = {self.value('any', 0)}"
        function = self.random.choice(self.functions)
        arguments = [self.value(kind, 0, name) for name, kind in function.parameters]
        # Too few and too many.
        if arguments and self.random.random() < 0.1:
            arguments.pop()
        if self.random.random() < 0.05:
            arguments.append(self.value("any", 0))
        given = "".join(f", {argument}" for argument in arguments)
        if not function.owner.startswith("luath"):
            return f"method(one '{function.owner}', '{function.name}'{given})"
        return f"call(modules['{function.owner}'].{function.name}{given})"

    def value(self, kind, depth, name=""):
        if self.random.random() < 0.12 or depth > 3:
            return self.random.choice(JUNK)
        kind = kind.rstrip("?")
        options = _split(kind, "|")
        if len(options) > 1:
            return self.value(self.random.choice(options), depth)
        if kind.endswith("[]"):
            inner = [self.value(kind[:-2], depth + 1) for _ in range(self.random.randrange(3))]
            return "{ " + ", ".join(inner) + " }"
        if kind.startswith("{"):
            return self.record(kind[1:-1], depth)
        if kind.startswith("fun"):
            return "function(...) return " + self.value("any", depth + 1) + " end"
        if kind.startswith("table<"):
            return "{ a = " + self.value(kind.split(",", 1)[1].rstrip(">").strip() or "any", depth + 1) + " }"
        if kind.startswith('"'):
            return kind
        plain = {
            "string": lambda: '"' + self.random.choice(WORDS) + '"',
            "number": lambda: self.random.choice(NUMBERS),
            "integer": lambda: self.random.choice(NUMBERS),
            "boolean": lambda: self.random.choice(["true", "false"]),
            "function": lambda: "function(...) return " + self.value("any", depth + 1) + " end",
            "table": lambda: "{ email = \"ada@x.example\", password = \"correct horse\", uid = "
                             + self.value("string", depth + 1) + " }",
        }
        if kind in plain:
            return plain[kind]()
        if re.fullmatch(r"[A-Z]\w+", kind):
            return f"one '{kind}'"
        return self.random.choice([*JUNK, '"' + self.random.choice(WORDS) + '"', *NUMBERS])

    def record(self, text, depth):
        parts = []
        for field in _split(text, ","):
            name, _, kind = field.strip().partition(":")
            if re.fullmatch(r"\w+\??", name) and self.random.random() < 0.6:
                # A time limit of years is no defect.
                value = "0.05" if name.startswith("timeout") else self.value(kind.strip(), depth + 1)
                parts.append(f"{name.rstrip('?')} = {value}")
        return "{ " + ", ".join(parts) + " }"


def _split(text, separator):
    """The parts of a type between separators that are not within brackets."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "({<[") - (letter in ")}>]")
        if letter == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]
