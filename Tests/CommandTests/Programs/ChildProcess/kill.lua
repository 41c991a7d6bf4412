local pipe = io.popen "echo $$; exec sleep 1000"
assert(os.execute("kill " .. pipe:read "l"))
print(pipe:close())
print(os.execute "kill $$")
