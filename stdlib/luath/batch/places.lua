--- Where a script reached for a function of luath.batch.
---
--- Behind `return batch.link { … }` Lua no longer knows who called: it was a tail call. The line in
--- which the function was looked up, just before, is that of the call.
local places = {}

local getinfo <const>, running <const> = debug.getinfo, coroutine.running

--- By coroutine: the function and line that looked up what is being called.
local reached <const> = setmetatable({}, { __mode = "k" })

--- Takes note of who looks a function up; called by what looks it up for them.
function places.reach()
  reached[running()] = getinfo(3, "fl")
end

--- Forgets it, as the call is over; gives what the call gave.
function places.leave(...)
  reached[running()] = nil
  return ...
end

--- The place of the call that is under way, as `file:line`; nil when it is not known.
function places.current()
  local info = reached[running()]
  return info and ("%s:%d"):format(getinfo(info.func, "S").short_src, info.currentline)
end

--- A function as scripts get it: the place of a call is forgotten when it is over.
function places.watched(body)
  return function(...)
    return places.leave(body(...))
  end
end

return places
