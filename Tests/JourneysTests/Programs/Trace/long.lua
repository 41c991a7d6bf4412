require("luath.journey")("prints", function()
  print(("<key "):rep(60000))
  print(("password:"):rep(20) .. (" password:"):rep(30000))
end)
