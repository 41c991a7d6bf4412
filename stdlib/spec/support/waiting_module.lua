-- A module whose top level waits, and which counts how often it is loaded.
local task = require "luath.task"
local count = (package.loaded.waiting_count or 0) + 1
package.loaded.waiting_count = count
task.sleep(0)
return { loaded = count }
