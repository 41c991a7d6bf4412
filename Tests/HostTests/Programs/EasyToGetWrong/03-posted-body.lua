local value = "a+b/c=d.e&f%g ü"
accept "google.com"
auth:signIn(Auth.GoogleAuthProvider.credential(value, value))
local body = sent("signInWithIdp").postBody
equal(body, ("providerId=google.com&id_token=%s&access_token=%s"):format(
  "a%2Bb%2Fc%3Dd.e%26f%25g%20%C3%BC", "a%2Bb%2Fc%3Dd.e%26f%25g%20%C3%BC"))
equal(http.parseForm(body).id_token, value)
