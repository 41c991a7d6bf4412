local server = require "luath.server"
local http = require "luath.http"

--- The server listens on 127.0.0.1 only. It replies while the script waits, as in a sign-in or in `task.sleep`.
---
--- It ends at the end of its `<close>` variable, or at the latest when the journey, the fixture or the script that
--- started it ends.

---@return Server server
---@error portInUse when another program uses the port
---@error portReserved when only the administrator may listen at the port
function server.start()
  local hooks <close> = server.start()
  hooks:on("GET", "/hello", "hello")
  print(http.get(hooks.url .. "/hello").body)
end

--- A request that a server of a script has received.
---@class ServerRequest
---@field method string in upper case
---@field path string the path without the query
---@field query table<string, string> the parameters of the query
---@field headers table<string, string> the headers; their names are in lower case
---@field body string the body
---@field json? any the decoded body, if it is JSON

---@class Server

---@param method _ in upper case, or * for any
---@param path _ the path without the query; * stands for any text
---@param reply string|table|fun(request: ServerRequest): string|table|nil a text, a table, or a function of the request that returns one; nil for 204
function Server:on()
  local hooks <close> = server.start()
  hooks:on("POST", "/users/*", function(request)
    return { status = 201, json = { name = request.json.name, path = request.path } }
  end)
  local response = http.post(hooks.url .. "/users/7", { json = { name = "Ada" } })
  assert(response.status == 201 and response:json().path == "/users/7")
end

---@return ServerRequest[] requests
function Server:requests()
  local hooks <close> = server.start()
  hooks:on("*", "*", { status = 204 })
  http.get(hooks.url .. "/a?page=2")
  local request = hooks:requests()[1]
  assert(request.path == "/a" and request.query.page == "2")
end

---@return ServerRequest request
---@error timedOut when no such request comes in time
function Server:waitForRequest()
  local hooks <close> = server.start()
  hooks:on("POST", "/hook", { status = 204 })
  http.post(hooks.url .. "/hook", { json = { event = "signed in" } })
  local request = hooks:waitForRequest { path = "/hook", timeout = 5 }
  assert(request.json.event == "signed in")
end

function Server:clear()
  local hooks <close> = server.start()
  http.get(hooks.url)
  hooks:clear()
  assert(#hooks:requests() == 0)
end

function Server:stop()
  local hooks = server.start()
  hooks:stop()
  print(hooks)
end
