for _, row in ipairs {
  { { screenName = "ada" } }, { { username = "ada" } },
  { { rawUserInfo = '{"login":"ada"}' } }, { { rawUserInfo = '{"screen_name":"ada"}' } },
} do
  accept("github.com", row[1])
  equal(auth:signIn(Auth.GitHubAuthProvider.credential "a").additionalUserInfo.username, "ada")
end
accept("github.com", { rawUserInfo = '{"id":7,"name":"Ada"}' })
local info = auth:signIn(Auth.GitHubAuthProvider.credential "a").additionalUserInfo
equal(info.profile.id, 7)
equal(info.profile.name, "Ada")
equal(info.username, nil)
