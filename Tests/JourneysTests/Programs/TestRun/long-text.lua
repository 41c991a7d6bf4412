journey("prints much", function(j)
  local secret <const> = j:secret "a secret that is cut in two"
  for shift = 0, 30, 10 do
    print((" "):rep((1 << 20) + (64 << 10) - shift) .. secret .. ("x"):rep(20000000))
  end
end)
