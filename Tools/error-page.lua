-- Writes docs/errors.md: every error by its code, with cause and what to do.
--
--   luath run Tools/error-page.lua -- Tools/error-texts.lua docs/errors.md
--
-- Numbers, names, causes and hints come from the program's table, the order and the remarks from the texts.
local Auth <const> = require "luath.auth"

local sections <const> = assert(loadfile(arg[1], "t", {}))()
local lines <const> = {
  "# Errors by code",
  "",
  "This page lists every error of `luath.auth` and `luath.admin`, with its cause and what to do.",
  "[scripting.md](scripting.md) describes the errors of other modules, and [troubleshooting.md](troubleshooting.md)",
  "messages without a code. [Lesson 10](../scripts/10-errors.lua) raises more than twenty of them.",
  "",
  "| field | value |",
  "| --- | --- |",
  "| `err.code` | the name, as in the headings |",
  "| `err.rawValue` | the number; numbers from 18101 on are luath's |",
  "| `err.name` | the name in the SDK for Apple platforms |",
  "| `err.webCode` | the name in the SDK for the Web |",
  "",
}

local function add(...)
  for _, line in ipairs { ... } do
    lines[#lines + 1] = line
  end
end

--- Escapes characters that Markdown would take for emphasis or tags.
local function plain(text)
  return (text:gsub("[_*<>]", "\\%0"))
end

local placed <const> = {}
for _, section in ipairs(sections) do
  add("- [" .. section.title .. "](#" .. section.title:lower():gsub("[^%w %-]", ""):gsub(" ", "-") .. ")")
end
add ""
for _, section in ipairs(sections) do
  add("## " .. section.title, "")
  for _, entry in ipairs(section.codes) do
    local code <const>, more <const> = entry[1], entry[2]
    assert(not placed[code], code .. " is there twice")
    placed[code] = true
    local err <const> = Auth.createError(code)
    add("### " .. code, "")
    add(("%d, `%s`, `%s`"):format(err.rawValue, err.name, err.webCode), "")
    add("- Cause: " .. plain(err.message) .. ".")
    add("- What to do: " .. plain(err.hint) .. ".")
    if more then
      add("- " .. more:sub(1, 1):upper() .. more:sub(2) .. (more:find "[.!?]$" and "" or "."))
    end
    add ""
  end
end
for code in pairs(Auth.ErrorCode) do
  assert(placed[code], code .. " is missing in the texts")
end
lines[#lines] = nil

local file <const> = assert(io.open(arg[2], "w"))
assert(file:write(table.concat(lines, "\n"), "\n"))
assert(file:close())
