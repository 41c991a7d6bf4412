local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"

local auth = Auth.auth()
local equal, mistake = flows.equal, flows.mistake


describe("luath.http", function()
  it("a request carries what the options say", function()
    local origin = emulator.origin
    local answer = http.request("GET", origin .. "/emulator/v1/clock")
    equal(answer.status, 200)
    equal(answer.ok, true)
    equal(answer.url, origin .. "/emulator/v1/clock")
    equal(math.type(answer:json().seconds), "integer")
    equal(answer:header "CONTENT-type", answer.headers["content-type"])
    equal(answer:header "no-such-header", nil)
    local missing = http.get(origin .. "/nowhere")
    equal(missing.status, 404)
    equal(missing.ok, false)
    equal(http.head(origin .. "/emulator/v1/clock").body, "")
    local moved = http.patch(origin .. "/emulator/v1/clock", { json = { advanceSeconds = 5 } })
    equal(moved:json().advancedSeconds, 5)
    local signUp = origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp"
    equal(http.post(signUp, { query = { key = "a&b=c" }, json = {} }).status, 200)
    equal(http.form { b = "2 &", a = "é" }, "a=%C3%A9&b=2%20%26")
    local parsed = http.parseForm "http://x.example/?a=1&b=%26+x#c=3"
    equal(parsed.a, "1")
    equal(parsed.b, "& x")
    equal(parsed.c, "3")
    equal(http.parseForm("a=1&a=2").a, "1")
  end)

  describe("senseless options are refused before anything is sent:", function()
    -- The emulator counts the requests to this address.
    local O = emulator.origin .. "/identitytoolkit.googleapis.com/v1/projects?key=k"

    it("http.get(O) is sent", function()
      equal(flows.requests("*", http.get, O), 1)
    end)

    for _, case in ipairs {
      { [[http.get('ftp://x.example')]], "http or https" },
      { [[http.get('/relative')]], "http or https" },
      { [[http.get('')]], "http or https" },
      { [[http.get('http://')]], "http or https" },
      { [[http.get(O, { body = 'x', json = {} })]], "keep one" },
      { [[http.get(O, { form = {}, json = 1 })]], "keep one" },
      { [[http.get(O, { headers = { ['a b'] = 'x' } })]], "forbids" },
      { [[http.get(O, { headers = { [''] = 'x' } })]], "forbids" },
      { [[http.get(O, { headers = { a = 'x\r\nSet-Cookie: y' } })]], "forbids" },
      { [[http.get(O, { headers = { a = 7 } })]], "bad argument" },
      { [[http.get(O, { bearer = '' })]], "bearer" },
      { [[http.get(O, { bearer = 'a b' })]], "bearer" },
      { [[http.get(O, { timeout = 0 })]], "timeout" },
      { [[http.get(O, { timeout = -1 })]], "timeout" },
      { [[http.get(O, { timeout = 0/0 })]], "timeout" },
      { [[http.get(O, { timeout = 1e9 })]], "timeout" },
      { [[http.get(O, { redirects = -1 })]], "redirects" },
      { [[http.get(O, { redirects = 51 })]], "redirects" },
      { [[http.get(O, { limit = 0 })]], "limit" },
      { [[http.get(O, { limit = 2^40 })]], "limit" },
      { [[http.get(O, { query = 'x' })]], "bad argument" },
      { [[http.get(O, { timout = 1 })]], "no option" },
      { [[http.get(O, { 7 })]], "no option" },
      { [[http.get(O, { json = print })]], "JSON" },
      { [[http.get(O, { json = 0/0 })]], "JSON" },
      { [[http.get(O, { json = { a = { 1, x = 2 } } })]], "JSON" },
      { [[http.request('GET X', O)]], "method" },
      { [[http.request('', O)]], "method" },
      { [[http.request('GÉT', O)]], "method" },
      { [[http.get()]], "bad argument" },
      { [[http.get(7)]], "bad argument" },
      { [[http.parseForm()]], "bad argument" },
      { [[http.form { a = 1 }]], "bad argument" },
    } do
      local code, word = table.unpack(case)
      it(code, function()
        local call = assert(load(code, "=code", "t", { http = http, O = O, print = print }))
        equal(flows.requests("*", mistake, word, call), 0)
      end)
    end
  end)

  it("large bodies and headers are refused in their own words", function()
    local big = ("x"):rep(11 * 1024 * 1024)
    local ok, answer = pcall(http.post, emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k",
      { body = big, headers = { ["Content-Type"] = "application/json" } })
    equal(answer.status, 400)
    assert(answer:json().error.message:find("Invalid JSON payload", 1, true))
    equal(http.get(emulator.origin .. "/emulator/v1/clock").status, 200)
    local header = ("x"):rep(60000)
    local ok, answer = pcall(http.get, emulator.origin .. "/", { headers = { a = header } })
    -- Whoever stops reading may close before the client has written everything.
    assert(ok and answer.status >= 400 or not ok and answer.code == "broken", tostring(answer))
    local ok, err = pcall(auth.createUser, auth, "a@b.example", ("p"):rep(5000))
    assert(not ok and err.code, tostring(err))
    equal(http.get(emulator.origin .. "/emulator/v1/clock").status, 200)
  end)
end)
