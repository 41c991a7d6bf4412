local apple = Auth.OAuthProvider.appleCredential
local names = {
  { { givenName = "Ada", familyName = "Lovelace" }, { firstName = "Ada", lastName = "Lovelace" } },
  { { givenName = "Ada & co" }, { firstName = "Ada & co" } },
}
for _, row in ipairs(names) do
  accept "apple.com"
  auth:signIn(apple("i", "n", row[1]))
  local user = json.decode(http.parseForm(sent("signInWithIdp").postBody).user)
  equal(user.name.firstName, row[2].firstName)
  equal(user.name.lastName, row[2].lastName)
end
accept "apple.com"
auth:signIn(apple("i", "n", {}))
equal(http.parseForm(sent("signInWithIdp").postBody).user, nil)
refused("invalidCredential", apple, "")
mistake("no option 'name'", apple, "i", "n", { name = "Ada" })
