-- The demo project. Without this file, the library's own luath.lua would be taken for a project file.
return {}
