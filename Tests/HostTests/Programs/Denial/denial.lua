local function show(delegate, path)
  return open(path, delegate, { consent = false })
end
for _, path in ipairs { "/button", "/forms", "/name", "/icons", "/wordless", "/remember", "/questions",
  "/email", "/login", "/list" } do refused("webConsentDenied", show, "form", path) end
for _, path in ipairs { "/deaf", "/link" } do
  local err = refused("webDenialIgnored", show, "form", path)
  equal(err.details.reason, "denialIgnored")
  equal(err.details.title, "Corp")
end
