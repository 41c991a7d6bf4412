print(io.read())
local ticks, done = 0
local ticking = task.spawn(function() while not done do ticks = ticks + 1 task.sleep(0.001) end end)
print "ready"
local page = "http://127.0.0.1:9/authorize?state=s"
local final = ui.show(ui.paste(), page, "http://127.0.0.1:9/callback")
done = true
ticking:await()
assert(ticks >= 1)
print(final)
print(io.read())
-- Both pastes in one piece, of which C reads ahead.
print(io.read())
print(ui.show(ui.paste(), page, "http://127.0.0.1:9/callback"))
print(io.read())
local ok, err = pcall(ui.show, ui.paste(), page, "http://127.0.0.1:9/callback")
print(err.code)
