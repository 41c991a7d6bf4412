require("luath.journey")("answers", function()
  require("luath.ui").form { username = "ada@contoso.example", password = "pass-of-ada",
    fields = { pin = "734512" } }
  print("pass-of-ada", "734512", "ada@contoso.example")
end)
