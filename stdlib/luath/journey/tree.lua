--- The blocks and journeys of a file, and which of them is being declared or run just now.
local tree = {}

--- The block of the file. `current` is the block, hook or journey whose code runs.
tree.root, tree.current = nil, nil
tree.tests = {}
--- What `journey.configure` said.
tree.configuration = {}
--- The settings of `journey.load`: `values`, `file` and `line`; nil when it was not called.
tree.load = nil

local function block(kind, name, parent, body)
  return {
    isBlock = true, kind = kind, name = name, parent = parent, body = body, children = {},
    hooks = {}, env = {}, tags = {},
  }
end

--- Begins a file.
function tree.begin()
  tree.root = block("file")
  tree.current = tree.root
  tree.tests = {}
  tree.configuration, tree.load = {}, nil
end

--- Adds a block to the current one; its body runs when the file is read to its end.
function tree.addBlock(kind, name, body)
  local made = block(kind, name, tree.current, body)
  table.insert(tree.current.children, made)
  return made
end

--- Adds a journey or test to the current block.
function tree.addTest(test)
  test.parent = tree.current
  table.insert(tree.current.children, test)
  return test
end

--- Adds a hook to the current block.
---
---@param isBare? boolean whether it gets no arguments
function tree.addHook(kind, body, label, isBare)
  local hooks = tree.current.hooks
  hooks[kind] = hooks[kind] or {}
  if tree.current.name then
    label = ("%s of '%s'"):format(label, tree.current.name)
  end
  table.insert(hooks[kind], {
    parent = tree.current, isHook = true, body = body, label = label, isBare = isBare,
  })
end

--- An element and what is around it, outermost first.
local function line(element)
  local list = {}
  while element do
    table.insert(list, 1, element)
    element = element.parent
  end
  return list
end

--- The blocks around an element, outermost (the file's) first; a block's own end with itself.
function tree.path(element)
  return line(element.isBlock and element or element.parent)
end

--- A text as reports can show it: bytes that are no UTF-8 are spelled out.
local function readable(text)
  local parts, at = {}, 1
  while at <= #text do
    local good, bad = utf8.len(text, at)
    if good then
      parts[#parts + 1] = text:sub(at)
      break
    end
    parts[#parts + 1] = ("%s\\x%02X"):format(text:sub(at, bad - 1), text:byte(bad))
    at = bad + 1
  end
  return table.concat(parts)
end

--- The names of the blocks around an element and its own.
function tree.names(element)
  local names = {}
  for _, one in ipairs(line(element)) do
    if one.kind ~= "file" then
      names[#names + 1] = readable(one.name or one.kind)
    end
  end
  return names
end

--- The tags of an element: its own, those of the blocks around it, and `#tag` in their names.
function tree.tagsOf(element)
  local tags, seen = {}, {}
  local function add(tag)
    if not seen[tag] then
      seen[tag] = true
      tags[#tags + 1] = tag
    end
  end
  for _, tag in ipairs(tree.configuration.tags or {}) do
    add(tag)
  end
  for _, one in ipairs(line(element)) do
    for _, tag in ipairs(one.tags or {}) do
      add(tag)
    end
    for tag in (one.name or ""):gmatch "#([%w_%-%.:\128-\255]+)" do
      add(tag)
    end
  end
  return tags
end

--- Runs a function as an element: its globals are looked up from there.
function tree.with(element, f, ...)
  local before = tree.current
  tree.current = element
  local results = table.pack(f(...))
  tree.current = before
  return table.unpack(results, 1, results.n)
end

return tree
