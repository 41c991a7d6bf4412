local files = require "support.files"
local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local http = require "luath.http"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, form = flows.provider, flows.form

local read, write = files.read, files.write

--- A delegate that goes through the recording.
local function recorded(answers)
  local all = { file = files.file, username = "ada@contoso.example", password = flows.password }
  for name, value in pairs(answers or {}) do
    all[name] = value
  end
  return ui.recorded(all)
end

describe("recorded sign-in pages", function()
  before_each(files.make)
  after_each(files.remove)

  for id, person in pairs {
    ["microsoft.com"] = "ada@contoso.example", ["google.com"] = "ada@contoso.example",
    ["yahoo.com"] = "yuki@yahoo.example", ["oidc.corp"] = "barbara@corp.example",
    ["oidc.implicit"] = "barbara@corp.example",
  } do
    it("a recorded sign-in of " .. id .. " is repeated and finished", function()
      local one = provider(id, person, id == "google.com" and { prompt = "consent" } or nil)
      local first = auth:signIn(one:getCredential(ui.record(form(person), files.file))).user.uid
      local text = read()
      assert(text:find('"version": 1', 1, true) and text:find('"kind": "success"', 1, true), text)
      assert(not text:find(flows.password, 1, true), "the password is in the file")
      local result = auth:signIn(one:getCredential(recorded { username = person }))
      equal(result.user.uid, first)
      equal(result.user.email, person)
      -- The file is for later runs, and its sign-in may be repeated as often as one likes.
      assert(auth:signIn(one:getCredential(recorded { username = person })).user.uid)
    end)
  end

  it("no secret of a sign-in is in the recording, and only its owner can read it", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    local seen
    local answer = one:getCredential(function(page)
      seen = page.url
      local final = ui.show(ui.record(form "ada@contoso.example", files.file), page.url, page.redirectURI)
      for name, value in pairs(http.parseForm(final)) do
        if #value > 7 then
          for _, spelling in ipairs { value, http.form { x = value }:sub(3), (crypto.base64(value):gsub("=", "")) } do
            assert(not read():find(spelling, 1, true), name .. " is in the recording")
          end
        end
      end
      return final
    end)
    for name, value in pairs(http.parseForm(seen)) do
      if name == "state" or name == "nonce" then
        assert(not read():find(value, 1, true), name .. " is in the recording")
      end
    end
    local handle = assert(io.popen("stat -c %a " .. files.file))
    equal(handle:read "l", "600")
    handle:close()
    assert(answer)
  end)

  it("a mistake of the script fails as at the server", function()
    local one = provider("google.com", "ada@contoso.example", { prompt = "consent" })
    assert(one:getCredential(ui.record(form "ada@contoso.example", files.file)))
    local err = refused("webPageUnusable", one.getCredential, one,
      ui.recorded { file = files.file, username = "ada@contoso.example" })
    equal(err.details.reason, "missingAnswer")
    refused("webConsentDenied", one.getCredential, one, recorded { consent = false })
    assert(auth:signIn(one:getCredential(recorded())).user.uid)
    -- What is sent otherwise than then leads off the recording.
    write((read():gsub('"csrf"', '"token"')))
    err = refused("webPageUnusable", one.getCredential, one, recorded())
    equal(err.details.reason, "otherThanRecorded")
    assert(err.message:find("of the recording is POST", 1, true), err.message)
  end)

  it("a recorded failure fails again, each with its code", function()
    local one = provider("google.com", "ada@contoso.example", { prompt = "consent" })
    local wrong = { password = "not-the-password" }
    equal(flows.requests("signInWithIdp", function()
      for code, answers in pairs { webCredentialsRefused = wrong, webConsentDenied = { consent = false } } do
        refused(code, one.getCredential, one, ui.record(form("ada@contoso.example", answers), files.file))
        assert(not read():find("not-the-password", 1, true))
        local err = refused(code, one.getCredential, one, recorded(answers))
        assert(err.message:find("google.com", 1, true), err.message)
      end
    end), 0)
  end)

  it("a recorded error comes back with the state of today", function()
    local one = provider("yahoo.com", "yuki@yahoo.example")
    one.customParameters = { prompt = "none" }
    local code = "webSignInUserInteractionFailure"
    local live = refused(code, one.getCredential, one, ui.record(form "yuki@yahoo.example", files.file))
    local again = refused(code, one.getCredential, one, recorded { username = "yuki@yahoo.example" })
    equal(again.serverName, live.serverName)
    equal(again.serverName, "login_required")
  end)

  it("a file that is no recording is refused with its reason", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    assert(one:getCredential(ui.record(form "ada@contoso.example", files.file)))
    local whole = read()
    for text, words in pairs {
      [""] = "is damaged", ["{"] = "is damaged", ["[]"] = "is no recording", ["{}"] = "is no recording",
      [whole:sub(1, #whole // 2)] = "is damaged", ["\0\1\2"] = "is damaged",
      [whole:gsub('"version": 1', '"version": 7')] = "has the version 7",
      [whole:gsub('"version": 1', '"version": "x"')] = "has the version unknown",
      [whole:gsub('"exchanges": %[', '"exchanges": [ 1,')] = "exchange 1 is incomplete",
      [whole:gsub('"status": 200', '"status": 7', 1)] = "is incomplete",
      [whole:gsub('"kind": "success"', '"kind": "x"')] = "response is incomplete",
      [whole:gsub('"microsoft.com"', '"yahoo.com"')] = "is of yahoo.com",
    } do
      write(text)
      local err = refused("webPageUnusable", one.getCredential, one, recorded())
      assert(err.message:find(words, 1, true), err.message .. " // " .. words)
    end
    os.remove(files.file)
    local err = refused("webPageUnusable", one.getCredential, one, recorded())
    assert(err.message:find("there is no recording", 1, true), err.message)
    err = refused("webPageUnusable", one.getCredential, one, recorded { file = "/tmp" })
    assert(err.message:find("cannot be read", 1, true), err.message)
  end)

  it("a file that cannot be written is an error before a request is sent", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    equal(flows.requests("*", function()
      for _, place in ipairs { "/nowhere/at/all", "/tmp", "/dev/null" } do
        local err = refused("webPageUnusable", one.getCredential, one, ui.record(form "ada@contoso.example", place))
        assert(err.message:find("cannot be written", 1, true), err.message)
      end
    end), 0)
  end)

  it("wrong arguments are mistakes of the script", function()
    mistake("a delegate of ui.form expected", ui.record, recorded(), files.file)
    mistake("path of a file", ui.record, form "a@b.example", "")
    mistake("option 'file' is missing", ui.recorded, { username = "a", file = "" })
    mistake("file", ui.recorded, { username = "a" })
    mistake("username", ui.recorded, { file = files.file })
    mistake("option 'timeout'", ui.form, { username = "a", timeout = 0 })
    mistake("option 'timeout'", ui.form, { username = "a", timeout = 0/0 })
    mistake("option 'trustedOrigins'", ui.form, { username = "a", trustedOrigins = { "login.live.com" } })
    mistake("option 'trustedOrigins'", ui.form, { username = "a", trustedOrigins = { "https://a.example/path" } })
    mistake("option 'language'", ui.form, { username = "a", language = "de\r\nX: y" })
    mistake("option 'username'", ui.form, { username = "" })
  end)
end)
