-- Every value of a posted body arrives as it was.
for _, value in ipairs { "a&providerId=evil.com", "a=b", "a+b", "100%41", "ü€", " " } do
  accept "google.com"
  auth:signIn(Auth.GoogleAuthProvider.credential(value))
  local fields = http.parseForm(sent("signInWithIdp").postBody)
  equal(fields.id_token, value)
  equal(fields.providerId, "google.com")
end
