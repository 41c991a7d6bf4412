--- Shows where two texts differ, when that is not plain to see: they are long, or look alike.
local texts = {}

local print <const> = require "luath.expect.print"

--- Longer texts are shown around the place only.
local LONG <const> = 60
local BEFORE <const>, AFTER <const> = 24, 32

--- Ranges of characters that join others, take no room, or turn the direction of writing.
local UNSEEN <const> = {
  { 0xA0, 0xA0 },
  { 0xAD, 0xAD },
  { 0x300, 0x36F },
  { 0x61C, 0x61C },
  { 0x200B, 0x200F },
  { 0x2028, 0x202F },
  { 0x2060, 0x206F },
  { 0x20D0, 0x20FF },
  { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF },
}

--- A character beyond ASCII.
local CHARACTER <const> = "[\xC2-\xF4][\x80-\xBF]+"

local function isUnseen(code)
  for _, range in ipairs(UNSEEN) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

local function hasUnseen(text)
  for character in text:gmatch(CHARACTER) do
    if isUnseen(utf8.codepoint(character)) then
      return true
    end
  end
  return false
end

--- Where two texts differ first, at the beginning of a character.
local function firstDifference(one, other)
  local at = 1
  local shorter <const> = math.min(#one, #other)
  while at <= shorter and one:byte(at) == other:byte(at) do
    at = at + 1
  end
  while at > 1 and (one:byte(at) or other:byte(at) or 0) & 0xC0 == 0x80 do
    at = at - 1
  end
  return at
end

--- The text from one byte to another, with the whole of the characters at both ends.
local function part(text, first, last)
  first, last = math.max(first, 1), math.min(last, #text)
  while first > 1 and (text:byte(first) or 0) & 0xC0 == 0x80 do
    first = first - 1
  end
  while last < #text and text:byte(last + 1) & 0xC0 == 0x80 do
    last = last + 1
  end
  return text:sub(first, last), first, last
end

--- A part of a text between quotes, with what cannot be seen spelled out.
local function bare(text)
  return (print.text(text):sub(2, -2):gsub(CHARACTER, function(character)
    return isUnseen(utf8.codepoint(character)) and print.spelledOut(character) or nil
  end))
end

--- Spells out what cannot be seen, and the character that differs.
local function spelled(text, at)
  local own <const> = text:match("^" .. CHARACTER, at) or ""
  local shown <const> = own ~= "" and print.spelledOut(own) or ""
  return "\"" .. bare(text:sub(1, at - 1)) .. shown .. bare(text:sub(at + #own)) .. "\""
end

local function show(text, at, isLong, isOdd)
  local first, last = 1, #text
  local shown = text
  if isLong then
    shown, first, last = part(text, at - BEFORE, at + AFTER)
  end
  shown = isOdd and spelled(shown, at - first + 1) or print.text(shown)
  return (first > 1 and "…" or "") .. shown .. (last < #text and "…" or "")
end

--- How two texts differ of which one is a secret, or both: their labels and lengths.
local function differAsSecrets(actual, expected, name)
  local wanted <const>, seen <const> = print.label(expected, name), print.label(actual, name)
  if not seen and not wanted then
    return nil
  end
  -- Of a token, its claims are printed, too.
  if print.isToken(actual) or print.isToken(expected) then
    return nil
  end
  return {
    actual = seen or print.line(actual), expected = wanted or print.line(expected),
    lengths = (" (%d and %d characters)"):format(
      utf8.len(expected) or #expected, utf8.len(actual) or #actual),
  }
end

--- How two texts differ; nil when they are no texts, or it is plain to see.
---
---@param actual any
---@param expected any
---@param name? any of the field that they are in
---@return table? shown `actual`, `expected`, `place` of long ones, `lengths` of secrets, `hint`,
--- `isLong`
function texts.differ(actual, expected, name)
  if type(actual) ~= "string" or type(expected) ~= "string" or actual == expected then
    return nil
  end
  local secrets <const> = differAsSecrets(actual, expected, name)
  if secrets then
    return secrets
  end
  local isLong <const> = #actual > LONG or #expected > LONG
  local isText <const> = utf8.len(actual) and utf8.len(expected)
  local isOdd <const> = isText and (hasUnseen(actual) or hasUnseen(expected))
  if not isLong and not isOdd then
    return nil
  end
  local place <const> = firstDifference(actual, expected)
  local seen <const>, wanted <const> = print.clean(actual), print.clean(expected)
  if seen == wanted or print.isToken(seen) or print.isToken(wanted) then
    return nil
  end
  local at <const> = firstDifference(seen, wanted)
  return {
    actual = show(seen, at, isLong, isOdd), expected = show(wanted, at, isLong, isOdd),
    isLong = isLong,
    place = isLong and ("at character %d"):format(
      isText and utf8.len(actual, 1, place - 1) + 1 or place) or nil,
    hint = isOdd and "what is hard to see is spelled out as \\u{…}" or nil,
  }
end

--- The sentence about two texts.
---
---@param shown table
---@param path? string of the field that differs
---@return string
function texts.told(shown, path)
  local words <const> = ("expected %s, got %s%s"):format(
    shown.expected, shown.actual, shown.lengths or "")
  if not shown.place and not path then
    return words
  end
  return ("%s differ%s%s: %s"):format(path or "the texts", path and "s" or "",
    shown.place and " " .. shown.place or "", words)
end

return texts
