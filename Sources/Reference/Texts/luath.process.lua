local process = require "luath.process"

--- The program receives the environment of luath. On an emulator it also receives the variables by which Firebase's
--- SDKs find it: `FIREBASE_AUTH_EMULATOR_HOST`, `GCLOUD_PROJECT` and `FIREBASE_CONFIG`.
---
--- It ends with all its descendants: at the end of its `<close>` variable, or at the latest when the journey, the
--- fixture or the script that started it ends.

---@param program _ its name in PATH, or a path from the option `cwd`
---@return Process process
---@error processNotStarted when there is no such program, or it cannot be executed
function process.start()
  local shell <close> = process.start("sh", { "-c", "echo ready; exec sleep 60" })
  print(shell:waitForLine "ready")
end

--- Standard output and standard error are kept until the program is garbage-collected.
---@class Process

---@return integer exitCode 128 plus the number of the signal that ended it
---@error timedOut when it runs longer than `timeout`
---@error processNotStarted when it could not be executed
function Process:wait()
  local sorted = process.start("sort", {}, { input = "b\na\n" })
  print(sorted:wait())
  assert(sorted.output == "a\nb\n")
end

--- Each call goes on after the line of the call before.
---@return string line
---@error timedOut when no such line comes in time
---@error processEnded when the program ends before; `err.exitCode` is its exit code
---@error processNotStarted when it could not be executed
function Process:waitForLine()
  local shell <close> = process.start("sh", { "-c", "echo one; echo port 3000; exec sleep 60" })
  local port = shell:waitForLine("port"):match "%d+"
  assert(port == "3000")
end

---@error timedOut when nothing listens there in time
---@error portInUse when a program listens there that ran before this one started
---@error processEnded when the program ends before; `err.exitCode` is its exit code
---@error processNotStarted when it could not be executed
function Process:waitForPort()
  -- A free port, which most servers find by themselves if asked for port 0.
  local free = require("luath.server").start()
  free:stop()
  local server <close> = process.start("python3", {
    "-m", "http.server", "--bind", "127.0.0.1", tostring(free.port),
  })
  server:waitForPort(free.port)
end

function Process:signal()
  local shell <close> = process.start("sh", { "-c", "trap 'exit 7' USR1; echo ready; sleep 60 & wait" })
  shell:waitForLine "ready"
  shell:signal "USR1"
  assert(shell:wait() == 7)
end

---@return integer exitCode
function Process:stop()
  local sleeping = process.start("sleep", { "60" })
  assert(sleeping:stop() == 128 + 15)
end
