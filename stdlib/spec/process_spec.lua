local expect <const> = require "luath.expect"
local host <const> = require "luath.host"
local journey <const> = require "luath.journey"
local process <const> = require "luath.process"
local server <const> = require "luath.server"
local task <const> = require "luath.task"

--- Starts a shell that runs a script.
local function shell(script, options)
  return process.start("sh", { "-c", script }, options)
end

--- Whether a process of this number exists, as a program and not only as its exit status.
local function isRunning(pid)
  local file <const> = io.open("/proc/" .. pid .. "/stat")
  if not file then return false end
  local state <const> = file:read("a"):match "%) (%a)"
  file:close()
  return state ~= "Z" and state ~= nil
end

--- Waits until a process has ended.
local function awaitEnd(pid)
  while isRunning(pid) do task.sleep(0.01) end
end

describe("a program", function()
  it("receives arguments, variables, a folder and input", function()
    local child <const> = shell([[printf '%s|' "$@" "$COLOR" "$PWD"; cat; echo wrong >&2; exit 3]], {
      env = { COLOR = "red" }, cwd = "/", input = "typed",
    })
    expect.equal(child:wait(), 3)
    expect.equal(child.exitCode, 3)
    expect.equal(child.output, "red|/|typed")
    expect.equal(child.errors, "wrong\n")
    local printed <const> = process.start("printf", { "%s,", "a b", "", "*", "$HOME" })
    printed:wait()
    expect.equal(printed.output, "a b,,*,$HOME,")
  end)

  it("finds the emulator by the variables of Firebase's tools", function()
    local child <const> = shell 'echo "$FIREBASE_AUTH_EMULATOR_HOST $GCLOUD_PROJECT"'
    child:wait()
    local origin <const> = require("luath.emulator").origin
    expect.equal(child.output, origin:gsub("^http://", "") .. " " .. host.projectID .. "\n")
  end)

  it("has an empty input by default", function()
    local child <const> = process.start "cat"
    expect.equal(child:wait(), 0)
    expect.equal(child.output, "")
  end)

  it("prints more than a pipe holds", function()
    local child <const> = process.start("head", { "-c", "3000000", "/dev/zero" })
    expect.equal(child:wait(), 0)
    expect.equal(#child.output, 3000000)
  end)

  it("prints many lines before the one that is waited for", function()
    local child <const> = shell "seq 300000; echo ready; printf 'the end'"
    expect.equal(child:waitForLine "ready", "ready")
    expect.equal(child:waitForLine "", "the end")
    expect.raises("processEnded", function() child:waitForLine "" end)
  end)

  it("prints without end, and faster than it is read", function()
    local child <const> = process.start "yes"
    child:waitForLine "y"
    local err <const> = expect.raises("timedOut", function()
      child:waitForLine("ready", { timeout = 0.1 })
    end)
    expect.equal(err.message, 'yes did not print "ready" in time')
    assert(err.hint:find("its last line is: ", 1, true), err.hint)
    child:stop()
    expect.equal(child.output:sub(1, 4):gsub("^\n", ""):sub(1, 2), "y\n")
    assert(#child.output <= 64 * 1024 * 1024)
  end)

  it("says what it printed last when it ends too early", function()
    local child <const> = shell "echo starting; echo 'Error: address in use' >&2; exit 1"
    local err <const> = expect.raises("processEnded", function() child:waitForLine "ready" end)
    assert(err.hint:find("its last line is: Error: address in use", 1, true), err.hint)
  end)

  it("is shown with its state", function()
    local child <const> = shell "exit 2"
    child:wait()
    expect.equal(tostring(child), "Process(sh, ended with 2)")
  end)
end)

describe("waiting", function()
  it("returns lines in order, and an incomplete last one", function()
    local child <const> = shell "echo one; echo two; printf 'port 3'"
    expect.equal(child:waitForLine "o", "one")
    expect.equal(child:waitForLine "", "two")
    expect.equal(child:waitForLine "port", "port 3")
    local err <const> = expect.raises("processEnded", function() child:waitForLine "four" end)
    expect.equal(err.exitCode, 0)
  end)

  it("lets other tasks run", function()
    local child <const> = shell "sleep 0.2; echo late"
    local count = 0
    local results <const> = task.all {
      function() return child:waitForLine "late" end,
      function()
        for _ = 1, 5 do
          task.sleep(0.01)
          count = count + 1
        end
      end,
    }
    expect.equal(results[1], "late")
    expect.equal(count, 5)
  end)

  it("listens on a port", function()
    -- Below the ports that the system gives to others meanwhile.
    local free <const> = server.start { port = math.random(20000, 32767) }
    free:stop()
    local child <close> = process.start("python3", {
      "-m", "http.server", "--bind", "127.0.0.1", tostring(free.port),
    })
    child:waitForPort(free.port)
  end)

  it("is not mistaken for an older program on the port that it waits for", function()
    local older <close> = server.start()
    local child <close> = process.start("sleep", { "60" })
    local err <const> = expect.raises("portInUse", function() child:waitForPort(older.port) end)
    assert(err.message:find(("port %d belongs to process %%d+, which ran before"):format(older.port)))
  end)

  it("ends with the program, with the time, and with its task", function()
    local child <const> = shell "exit 9"
    local err <const> = expect.raises("processEnded", function() child:waitForPort(1) end)
    expect.equal(err.exitCode, 9)
    local sleeping <close> = process.start("sleep", { "60" })
    expect.raises("timedOut", function() sleeping:waitForLine("x", { timeout = 0.05 }) end)
    expect.raises("timedOut", function() sleeping:wait { timeout = 0.05 } end)
    local waiting <const> = task.spawn(function() return sleeping:wait() end)
    task.sleep(0)
    waiting:cancel()
    expect.raises("cancelled", function() waiting:await() end)
  end)
end)

describe("ending", function()
  it("takes all descendants along", function()
    local child <const> = shell [[setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait]]
    local daemon <const> = child:waitForLine ""
    expect.isTrue(isRunning(daemon))
    expect.equal(child:stop(), 143)
    expect.isFalse(isRunning(daemon))
    -- A second time is no error.
    expect.equal(child:stop(), 143)
  end)

  it("kills what ignores SIGTERM", function()
    local child <const> = shell "trap '' TERM; echo ready; while :; do sleep 1; done"
    child:waitForLine "ready"
    expect.equal(child:stop { timeout = 0.1 }, 137)
  end)

  it("happens at the end of a close variable", function()
    local pid
    do
      local child <close> = shell "echo $$; exec sleep 60"
      pid = child:waitForLine ""
      expect.equal(tostring(child.pid), pid)
    end
    awaitEnd(pid)
  end)

  it("is asked for by signals", function()
    local child <const> = shell "trap 'exit 7' HUP; echo ready; sleep 60 & wait"
    child:waitForLine "ready"
    child:signal "HUP"
    expect.equal(child:wait(), 7)
    expect.raises(expect.any.string "there is no signal 'NONE'", function() child:signal "NONE" end)
  end)
end)

describe("a program that a journey does not end", function()
  local pid

  it("runs in the journey", function()
    local child <const> = shell "echo $$; exec sleep 60"
    pid = child:waitForLine ""
    expect.isTrue(isRunning(pid))
  end)

  it("has ended in the next one", function()
    awaitEnd(pid)
  end)
end)

local kept <const> = journey.fixture("kept", { scope = "file" }, function()
  local child <const> = shell "echo $$; exec sleep 60"
  return { child = child, pid = child:waitForLine "" }
end)

for count = 1, 2 do
  journey("a program of a fixture of the file runs in all its journeys: " .. count, function(j)
    local started <const> = j:use(kept)
    expect.isTrue(isRunning(started.pid))
    expect.isNil(started.child.exitCode)
  end)
end

describe("a program that cannot be started", function()
  local function refused(message, ...)
    local arguments <const> = table.pack(...)
    local err <const> = expect.raises("processNotStarted", function()
      process.start(table.unpack(arguments, 1, arguments.n))
    end)
    assert(err.message:find(message, 1, true), err.message)
  end

  it("is reported with the reason", function()
    refused("there is no such program", "no-such-program")
    refused("there is no such program", "./no-such-program")
    refused("it is not an executable file", "/etc/passwd")
    refused("its folder /no/such/folder does not exist", "sh", {}, { cwd = "/no/such/folder" })
    expect.raises(expect.any.string "cannot be set as a variable", function()
      process.start("sh", {}, { env = { ["A=B"] = "c" } })
    end)
  end)
end)

