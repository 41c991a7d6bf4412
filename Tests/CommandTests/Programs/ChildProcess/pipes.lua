print(os.execute())
print(os.execute "exit 0")
print(os.execute "exit 3")
print(io.popen("exit 4"):close())
local writer = io.popen("cat; exit 5", "w")
writer:write(("x"):rep(1000), "\n")
print(writer:close())
print(io.type(writer), pcall(writer.write, writer, "x"))
print(#io.popen("seq 100000"):read "a")
for line in io.popen("printf 'a\nb'"):lines() do io.write(line, ";") end
print(pcall(io.popen, "true", "rw"))
do local pipe <close> = io.popen "true" end
