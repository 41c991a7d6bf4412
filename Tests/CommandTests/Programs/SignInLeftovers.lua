local Auth, http, task, ui =
  require "luath.auth", require "luath.http", require "luath.task", require "luath.ui"
local auth, silent, rounds = Auth.auth(), arg[1], tonumber(arg[2])
local provider = Auth.OAuthProvider "microsoft.com"
provider.customParameters = { login_hint = "ada@contoso.example", prompt = "consent" }
local person = { username = "ada@contoso.example", password = "luath-demo" }

local function fields(url) return http.parseForm(url) end
local function sign(delegate) return function() return provider:getCredential(delegate) end end
local function own(delegate)
  return function()
    local back = "http://127.0.0.1:9/callback"
    return ui.show(delegate, "http://127.0.0.1:9/page?state=s", back)
  end
end
--- Credentials are made of what a delegate returns; a page of one's own is judged by this one.
local function through(delegate)
  return sign(function(page)
    local final = ui.show(delegate, "http://127.0.0.1:9/page?state=s", "http://127.0.0.1:9/callback")
    return (final:gsub(".*%?", page.redirectURI .. "?"):gsub("state=s", "state=" .. fields(page.url).state))
  end)
end
local function comes(query)
  return function(page) return page.redirectURI .. "?" .. query:gsub("STATE", fields(page.url).state) end
end
local function opens(query)
  return ui.browser { open = function(url)
    local all = fields(url)
    local back = all.redirect_uri .. "?" .. query:gsub("STATE", all.state)
    task.spawn(function() pcall(http.get, back) end)
  end }
end
local function waits() task.sleep(1000) end
local function form(change)
  local all = { username = person.username, password = person.password }
  for name, value in pairs(change) do all[name] = value end
  return ui.form(all)
end
--- The provider answers with the state it was asked with.
local function swapped(page)
  local url = page.url:gsub("([?&]state=)[^&]*", "%1forged")
  return ui.show(ui.form(person), url, page.redirectURI)
end

local cases = {
  { "form, denied", "webConsentDenied", sign(form { consent = false }) },
  { "form, wrong password", "webCredentialsRefused", sign(form { password = "wrong" }) },
  { "form, wrong state", "webStateMismatch", sign(swapped) },
  { "function, denied", "webConsentDenied", sign(comes "error=access_denied&state=STATE") },
  { "function, failed", "webSignInUserInteractionFailure", sign(comes "error=server_error&state=STATE") },
  { "function, wrong state", "webStateMismatch", sign(comes "code=stolen&state=forged") },
  { "function, closed", "webContextCancelled", sign(function() end) },
  { "browser, denied", "webConsentDenied", sign(opens "error=access_denied&state=STATE") },
  { "browser, failed", "webSignInUserInteractionFailure", sign(opens "error=server_error&state=STATE") },
  { "browser, wrong state", "webStateMismatch", sign(opens "code=stolen&state=forged") },
  { "browser, time", "webContextTimedOut", sign(ui.browser { open = waits, timeout = 0.02 }) },
  { "browser, closed", "webSignInUserInteractionFailure", sign(ui.browser { open = function() error "closed" end }) },
  { "paste, denied", "webConsentDenied", through(ui.paste()) },
  { "paste, failed", "webSignInUserInteractionFailure", through(ui.paste()) },
  { "paste, wrong state", "webStateMismatch", through(ui.paste()) },
}
--- When nothing more is typed.
local quiet = {
  { "paste, time", "webContextTimedOut", own(ui.paste { timeout = 0.02 }) },
}
--- What never ends by itself.
local endless = {
  form = function() return ui.show(ui.form(person), silent, "http://127.0.0.1:9/callback") end,
  ["function"] = sign(waits), browser = sign(ui.browser { open = waits }), paste = own(ui.paste()),
}

local function refused(name, code, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, name .. " went well")
  assert(type(err) == "table" and err.code == code, name .. ": " .. tostring(err))
  assert(not tostring(err):find "stolen" and not tostring(err):find "forged", tostring(err))
end

--- Descriptors, listening sockets and children of this process.
local function held()
  local function lines(command)
    local pipe <close> = io.popen(command)
    return pipe:read "a"
  end
  local listening, count = {}, { descriptors = 0, ports = 0, children = -1 }
  for line in lines("cat /proc/net/tcp /proc/net/tcp6"):gmatch "[^\n]+" do
    local inode = line:match "^ *%d+: %S+ %S+ 0A %S+ %S+ %S+ +%d+ +%d+ (%d+)"
    if inode then listening[inode] = true end
  end
  for line in lines("ls -l /proc/$PPID/fd"):gmatch "[^\n]*%->[^\n]*" do
    count.descriptors = count.descriptors + 1
    if listening[line:match "socket:%[(%d+)%]"] then count.ports = count.ports + 1 end
  end
  for _ in lines("cat /proc/$PPID/task/*/children"):gmatch "%d+" do count.children = count.children + 1 end
  return count
end

local function cancelled(name, f)
  local waiting = task.spawn(f)
  task.sleep(0.01)
  if name == "function" or name == "browser" then
    refused(name .. ", second", "webContextAlreadyPresented", sign(ui.form(person)))
  end
  waiting:cancel()
  refused(name .. ", cancelled", "cancelled", waiting.await, waiting)
  refused(name .. ", timeout", "timeout", task.timeout, 0.01, f)
end

local before
for round = 1, rounds do
  for _, case in ipairs(cases) do refused(table.unpack(case)) end
  if round == rounds then for _, case in ipairs(quiet) do refused(table.unpack(case)) end end
  for name, f in pairs(endless) do
    if name ~= "paste" or round == rounds then cancelled(name, f) end
  end
  assert(auth:signIn(provider, ui.form(person)).user.email == "ada@contoso.example")
  before = before or held()
  -- Both ends of a connection are in this process, and each closes in its own time.
  local more
  local good = pcall(task.timeout, 60, function()
    repeat
      more = nil
      for name, count in pairs(held()) do
        if count > before[name] then more = ("%s: %d, and before %d"):format(name, count, before[name]) end
      end
      task.sleep(0.01)
    until not more
  end)
  assert(good, more)
end
assert(before.ports >= 1 and before.descriptors > 3, "nothing was counted")
print("held", before.ports, before.children)
