--- What specs hear of their tests by busted's `subscribe`, and what they publish themselves.
local events = {}

local failures <const> = require "luath.journey.failures"
local refuse <const> = failures.refuse

--- Channels of busted's own program, whose work luath does in another way.
local FOREIGN <const> = {
  suite = true, file = true, describe = true, it = true, pending = true, error = true,
  failure = true, exit = true, register = true,
}

--- The subscribers of each channel, by its names.
local channels = {}

--- What subscribers are shown of a test or block: the same table each time.
local shown <const> = setmetatable({}, { __mode = "k" })

local function named(channel, word)
  if type(channel) ~= "table" then
    refuse("bad argument #1 to '%s' (a list of names expected, got %s)", word, type(channel))
  elseif FOREIGN[channel[1]] then
    refuse("the events for specs are { \"test\", \"start\" } and { \"test\", \"end\" }, not '%s': "
      .. "see --report json", tostring(channel[1]))
  end
  local names = {}
  for index, name in ipairs(channel) do
    names[index] = tostring(name)
  end
  local key = table.concat(names, "\0")
  channels[key] = channels[key] or {}
  return channels[key]
end

--- Has a function called with what is published in a channel; what it gives second says whether
--- later subscribers are called too.
---
---@param channel string[]
---@param f function
---@param options? table `priority`, `predicate`
---@return table subscriber with its `id`
function events.subscribe(channel, f, options)
  local list = named(channel, "subscribe")
  local subscriber = { fn = f, options = options or {} }
  subscriber.id = subscriber
  local last, priority = #list + 1, subscriber.options.priority
  table.insert(list, priority and math.max(1, math.min(priority, last)) or last, subscriber)
  return subscriber
end

--- Ends a subscription; gives the subscriber, or nil.
function events.unsubscribe(id, channel)
  local list = named(channel, "unsubscribe")
  for index, subscriber in ipairs(list) do
    if subscriber.id == id then
      return table.remove(list, index)
    end
  end
end

--- Calls the subscribers of a channel; gives a list of what they gave first.
function events.publish(channel, ...)
  local results = {}
  for _, subscriber in ipairs(named(channel, "publish")) do
    local predicate = subscriber.options.predicate
    if not predicate or predicate(...) then
      local value, goesOn = subscriber.fn(...)
      if value then
        results[#results + 1] = value
      end
      if not goesOn then
        break
      end
    end
  end
  return results
end

local function show(element, file)
  if not shown[element] then
    shown[element] = {
      name = element.name or file, descriptor = element.kind, attributes = {},
      trace = { source = element.file, short_src = element.file, currentline = element.line },
    }
  end
  return shown[element]
end

--- Tells that a test begins, or how it ended.
---
---@param which string "start" or "end"
---@param status? string "success", "pending", "failure" or "error"
function events.tell(which, test, status)
  events.publish({ "test", which }, show(test, test.file), show(test.parent, test.file), status)
end

return events
