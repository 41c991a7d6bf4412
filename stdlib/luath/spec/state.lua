--- Formatters, parameters and spies, in layers that can be taken off again.
local state = {}

local snapshot <const> = { __name = "luath.Snapshot" }

--- Stands for a parameter that was set to nil.
local NIL <const> = {}

local current

function snapshot.__call(self)
  self:revert()
end

--- Takes off a layer and those on it; the topmost one if none is named.
function state.revert(self)
  if not self then
    self = current
    if not self.previous then
      return
    end
  end
  if getmetatable(self) ~= snapshot then
    error("Value provided is not a valid snapshot", 2)
  end
  if self.next then
    self.next:revert()
  end
  self.formatters, self.parameters = {}, {}
  for spy in pairs(self.spies) do
    self.spies[spy] = nil
    spy:revert()
  end
  setmetatable(self, nil)
  current = self.previous
  current.next = nil
end

--- Puts a layer on.
function state.snapshot()
  local layer <const> = setmetatable({
    formatters = {},
    parameters = {},
    spies = setmetatable({}, { __mode = "kv" }),
    previous = current,
    revert = state.revert,
  }, snapshot)
  if current then
    current.next = layer
  end
  current = layer
  return layer
end

function state.add_formatter(formatter)
  table.insert(current.formatters, 1, formatter)
end

function state.remove_formatter(formatter, layer)
  layer = layer or current
  while layer do
    for index, known in ipairs(layer.formatters) do
      if known == formatter then
        table.remove(layer.formatters, index)
        break
      end
    end
    layer = layer.previous
  end
end

--- What the first formatter that knows a value makes of it, or nil.
function state.format_argument(value, layer, options)
  layer = layer or current
  while layer do
    for _, formatter in ipairs(layer.formatters) do
      local text <const> = formatter(value, options)
      if text ~= nil then
        return text
      end
    end
    layer = layer.previous
  end
  return nil
end

function state.set_parameter(name, value)
  if value == nil then
    value = NIL
  end
  current.parameters[name] = value
end

function state.get_parameter(name, layer)
  layer = layer or current
  while layer do
    local value <const> = layer.parameters[name]
    if value == NIL then
      return nil
    elseif value ~= nil then
      return value
    end
    layer = layer.previous
  end
  return nil
end

function state.add_spy(spy)
  current.spies[spy] = true
end

state.snapshot()

return state
