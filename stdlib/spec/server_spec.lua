local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local server <const> = require "luath.server"
local task <const> = require "luath.task"

describe("a server", function()
  local hooks

  before_each(function() hooks = server.start() end)
  after_each(function() hooks:stop() end)

  it("listens on this machine, on a free port", function()
    expect.equal(hooks.url, "http://127.0.0.1:" .. hooks.port)
    expect.equal(tostring(hooks), "Server(" .. hooks.port .. ")")
    local second <const> = server.start()
    assert(second.port ~= hooks.port)
    expect.raises("portInUse", function() server.start { port = hooks.port } end)
    second:stop()
    expect.equal(tostring(second), "Server(stopped)")
    expect.raises("connect", function() http.get(second.url) end)
  end)

  it("replies with texts, tables and functions", function()
    hooks:on("GET", "/text", "hello")
    hooks:on("GET", "/table", { status = 418, headers = { ["X-Kind"] = "teapot" }, body = "\0" })
    hooks:on("post", "/echo/*", function(request)
      task.sleep(0.01)
      return { json = { request.json, request.query.a, request.path, request.headers["x-one"] } }
    end)
    hooks:on("DELETE", "/nothing", function() end)
    local text <const> = http.get(hooks.url .. "/text")
    expect.equal(text.body, "hello")
    expect.equal(text:header "Content-Type", "text/plain; charset=utf-8")
    local kind <const> = http.get(hooks.url .. "/table")
    expect.same({ kind.status, kind:header "x-kind", kind.body }, { 418, "teapot", "\0" })
    local echo <const> = http.post(hooks.url .. "/echo/7?a=b", {
      json = { 1 }, headers = { ["X-One"] = "1" },
    })
    expect.same(echo:json(), { { 1 }, "b", "/echo/7", "1" })
    expect.equal(http.delete(hooks.url .. "/nothing").status, 204)
  end)

  it("replies 404 where nothing fits", function()
    hooks:on("GET", "/a", "a")
    expect.equal(http.post(hooks.url .. "/a").status, 404)
    local response <const> = http.get(hooks.url .. "/a/b")
    expect.equal(response.status, 404)
    expect.equal(response.body, "no handler of this luath.server fits GET /a/b\n")
  end)

  it("prefers the handler that was set last", function()
    hooks:on("*", "*", { status = 503 })
    hooks:on("GET", "/users/*/name", "name")
    expect.equal(http.get(hooks.url .. "/users/1/name").body, "name")
    expect.equal(http.get(hooks.url .. "/users/1").status, 503)
    hooks:on("GET", "/users/*/name", "other")
    expect.equal(http.get(hooks.url .. "/users/1/name").body, "other")
  end)

  it("keeps the requests", function()
    hooks:on("*", "*", "ok")
    http.put(hooks.url .. "/one?x=1&y=", { form = { a = "b" } })
    http.post(hooks.url .. "/two", { json = { name = "Ada" } })
    local requests <const> = hooks:requests()
    expect.equal(#requests, 2)
    expect.equal(requests[1].method, "PUT")
    expect.same(requests[1].query, { x = "1", y = "" })
    expect.equal(requests[1].body, "a=b")
    expect.equal(requests[1].json, nil)
    expect.same(requests[2].json, { name = "Ada" })
    expect.equal(hooks:waitForRequest({ path = "/two" }).path, "/two")
    expect.equal(hooks:waitForRequest({ path = "/one" }).path, "/one")
    local err <const> = expect.raises("timedOut", function()
      hooks:waitForRequest { path = "/two", timeout = 0.01 }
    end)
    expect.equal(err.message, "no request /two was received in time")
    hooks:clear()
    expect.equal(#hooks:requests(), 0)
    expect.raises("timedOut", function() hooks:waitForRequest { timeout = 0.02 } end)
  end)

  it("waits for a request that another task sends later", function()
    hooks:on("POST", "/hook", { status = 204 })
    local results <const> = task.all {
      function() return hooks:waitForRequest { method = "post", path = "/hook" } end,
      function()
        task.sleep(0.02)
        http.get(hooks.url .. "/other")
        http.post(hooks.url .. "/hook", { body = "late" })
      end,
    }
    expect.equal(results[1].body, "late")
  end)

  it("refuses handlers that are none", function()
    expect.raises(expect.any.string "a path such as /hook", function() hooks:on("GET", "hook", "x") end)
    expect.raises(expect.any.string "from 200 to 599", function()
      hooks:on("GET", "/", { status = 99 })
    end)
    expect.raises(expect.any.string "json or body, not both", function()
      hooks:on("GET", "/", { json = 1, body = "x" })
    end)
    expect.raises(expect.any.string "has none of status", function() hooks:on("GET", "/", {}) end)
    expect.raises(expect.any.string "from 1 to 65535", function() server.start { port = 70000 } end)
  end)
end)

describe("a blocking function", function()
  it("runs in the script that signs in", function()
    local functions <close> = server.start()
    functions:on("POST", "/beforeCreate", {
      json = { userRecord = { updateMask = "displayName", displayName = "Ada of the function" } },
    })
    local target <const> = require "luath.emulator"
    local host <const> = require "luath.host"
    local path <const> = "/identitytoolkit.googleapis.com/v2/projects/" .. host.projectID
      .. "/config?updateMask=blockingFunctions"
    local response <const> = http.patch(target.origin .. path, {
      bearer = "owner",
      json = {
        blockingFunctions = {
          triggers = { beforeCreate = { functionUri = functions.url .. "/beforeCreate" } },
        },
      },
    })
    expect.equal(response.status, 200)
    local auth <const> = require("luath.auth").auth()
    local user <const> = auth:createUser("blocked@contoso.example", "correct horse").user
    expect.equal(user.displayName, "Ada of the function")
    expect.equal(type(functions:waitForRequest().json.data.jwt), "string")
  end)
end)

describe("a server that a journey does not end", function()
  local url

  it("replies in the journey", function()
    local hooks <const> = server.start()
    hooks:on("GET", "/", "here")
    url = hooks.url
    expect.equal(http.get(url).body, "here")
  end)

  it("has ended in the next one", function()
    expect.raises("connect", function() http.get(url) end)
  end)
end)
