--- A folder and a file in it, for specs of saved sessions: `before_each(files.make)`, `after_each(files.remove)`.
local files = {}

--- Makes an empty folder; no file is in it yet.
function files.make()
  local folder = os.tmpname()
  assert(os.remove(folder))
  assert(os.execute("mkdir -m 700 " .. folder))
  files.folder, files.file = folder, folder .. "/session.json"
end

--- Deletes the folder.
function files.remove()
  os.execute("rm -rf " .. files.folder)
end

--- The text of the file.
function files.read()
  local file <close> = assert(io.open(files.file, "rb"))
  return file:read "a"
end

--- Replaces the text of the file.
function files.write(text)
  local file <close> = assert(io.open(files.file, "wb"))
  assert(file:write(text))
end

--- The names of the files in the folder, a line each.
function files.list()
  local pipe <close> = io.popen("ls -A " .. files.folder)
  return pipe:read "a"
end

--- Runs a command of the shell in which FILE is the file's path; it must succeed.
function files.shell(command)
  assert(os.execute((command:gsub("FILE", files.file))))
end

return files
