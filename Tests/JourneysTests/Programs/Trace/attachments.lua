local journey, expect = require "luath.journey", require "luath.expect"

journey("attaches", function(j)
  j:secret "hunter2-pass"
  j:step("inside", function()
    j:attach("plain", "it is hunter2-pass")
  end)
  j:attach("data", '{ "password": "other-pass", "n": 1 }')
  j:attach("table", "a,b\n1,2\n", "text/csv")
  j:attach("bytes", "\xFF\xFE\0\1", "application/x-thing")
  j:attach("secret bytes", "\xFF\0hunter2-pass\0\xFE")
  j:attach("no picture", "nothing like that", "image/png")
  j:attach("long", ("x"):rep((1 << 20) + 5))
  j:attach("large", ("\xFF"):rep((4 << 20) + 1))
end)

journey("attaches secrets", function(j)
  -- From pieces, so that the source has none of them.
  local function secret(name) return name .. "-pw-" .. 3333 end
  local input <const> = '<form><input type="password" name="password" value="%s">'
    .. '<input type=hidden value=%s><!-- %s --></form>'
  j:attach("form", input:format(secret "NAM", secret "HID", secret "COM"), "text/html; charset=utf-8")
  j:attach("page", "<!DOCTYPE html><html><body>" .. input:format(secret "NAM", secret "HID", "") .. "x")
  j:attach("later", "it was " .. secret "NAM")
  j:log(input:format(secret "LOG", secret "LOH", ""))
  j:attach("csv", 'user,"password",n\nada,"' .. secret "CSV" .. ',""q""",1\nbob,' .. secret "BOB" .. ",2\n",
    "text/csv")
  print("Authorization: Bearer " .. secret "TOK" .. "\nCookie: sid=" .. secret "SID" .. "; b=" .. secret "B")
  print("later: " .. secret "TOK" .. ", " .. secret "SID")
  j:attach("har", '{"headers":[{"name":"Authorization","value":"Bearer ' .. secret "HAR" .. '"}]}')
end)

journey("attaches many", function(j)
  for index = 1, 103 do j:attach("n" .. index, "x") end
  j:attach("octets", "\x89PNG\r\n\x1A\n broken", "application/octet-stream")
end)

journey("is refused", function(j)
  for _, case in ipairs {
    { "a name expected, got number", 1, "x" }, { "a name expected, got an empty string", "", "x" },
    { "a string or a Page expected, got nil", "x" },
    { "a string or a Page expected, got table", "x", {} },
    { "a media type such as text/plain", "x", "x", "text" },
    { "a media type such as text/plain", "x", "x", "text; charset=utf-8" },
    { "a media type such as text/plain", "x", "x", 5 },
  } do
    local good, err = pcall(j.attach, j, table.unpack(case, 2, 4))
    expect.no.truthy(good)
    expect.contains(tostring(err), case[1])
    expect.contains(tostring(err), "'attach'")
  end
end)
