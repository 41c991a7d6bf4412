local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused


describe("bad responses of the backend", function()
  it("what reads or renews gets through lost answers", function()
    local user = auth:signInAnonymously().user
    for _, fault in ipairs {
      { operation = "lookup", drop = true, count = 2 },
      { operation = "lookup", cutAfter = 20, count = 1 },
      { operation = "lookup", error = "503", count = 1 },
      { operation = "lookup", error = "UNAVAILABLE", retryAfter = 0, count = 1 },
    } do
      emulator.setFaults { fault }
      user:reload()
      local seen = emulator.listFaults()[1]
      equal(seen.struck, fault.count)
    end
    for _, fault in ipairs {
      { operation = "token", drop = true, count = 2 },
      { operation = "token", error = "RESOURCE_EXHAUSTED", count = 1 },
    } do
      emulator.setFaults { fault }
      assert(#user:getIDToken(true) > 0)
      equal(emulator.listFaults()[1].struck, fault.count)
    end
  end)

  it("what changes something is sent once, whatever happens to the answer", function()
    local function users()
      local answer = http.get("https://identitytoolkit.googleapis.com/v1/projects/demo-luath/"
        .. "accounts:batchGet", { headers = { Authorization = "Bearer owner" } })
      return #(answer:json().users or {})
    end
    -- A kept connection, which dies before the first byte of the answer.
    auth:signInAnonymously()
    for index, fault in ipairs { { drop = true }, { cutAfter = 10 } } do
      fault.operation, fault.count = "signUp", 1
      emulator.setFaults { fault }
      local before = users()
      local email = "once-" .. index .. "@b.example"
      local err = refused("networkError", auth.createUser, auth, email, "correct horse")
      assert(err.hint ~= "")
      equal(emulator.listFaults()[1].seen, 1)
      equal(users(), before + 1)
    end
  end)

  it("a task that is given up waits for no other try", function()
    local user = auth:signInAnonymously().user
    emulator.setFaults { { operation = "lookup", error = "503", retryAfter = 20 } }
    local patient = task.spawn(user.reload, user)
    while emulator.listFaults()[1].seen == 0 do task.sleep(0) end
    patient:cancel()
    refused("cancelled", patient.await, patient)
    equal(emulator.listFaults()[1].seen, 1)
  end)

  it("a busy backend and a foreign one are told apart", function()
    emulator.setFaults { { operation = "signUp", error = "503", retryAfter = 9 } }
    local err = refused("networkError", auth.signInAnonymously, auth)
    assert(err.message:find("status 503", 1, true) and err.message:find("wait 9 s", 1, true))
    equal(err.details.status, 503)
    emulator.setFaults { { operation = "signUp", error = "429" } }
    refused("tooManyRequests", auth.signInAnonymously, auth)
    emulator.setFaults { { operation = "signUp", error = "RESOURCE_EXHAUSTED", retryAfter = 9 } }
    err = refused("quotaExceeded", auth.signInAnonymously, auth)
    assert(err.hint:find("asks to wait 9 s", 1, true))
    emulator.setFaults { { operation = "signUp", error = "404" } }
    err = refused("internalError", auth.signInAnonymously, auth)
    assert(err.message:find("web page instead of JSON", 1, true))
  end)
end)
