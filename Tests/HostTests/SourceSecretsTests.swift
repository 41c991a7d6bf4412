@testable import Host
import Testing

@Suite(.timeLimit(.minutes(1))) struct SourceSecretsTests {
  private static let secret = "hunter22"

  private func masked(_ source: String) -> String { SourceSecrets(source).masked() }

  @Test(arguments: [
    #"local password = "hunter22""#, #"local password <const> = "hunter22""#,
    #"local password <close> = "hunter22""#, #"local pw <const> = 'hunter22'"#,
    #"local email <const>, password <const> = "a@b", "hunter22""#,
    #"email, password = "a@b", "hunter22""#, "local password = [[hunter22]]",
    #"local password = ("hunter22"):rep(2)"#, #"local password = os.getenv "X" or "hunter22""#,
    #"local ADA_PASSWORD = "hunter22""#, #"local passwordOfAda, n = "hunter22", 1"#,
    #"ada.password = "hunter22""#, #"people[1]["password"] = "hunter22""#,
    #"local passwords = { "one", "hunter22" }"#, #"local passwords = { ada = "hunter22" }"#,
    #"for _, password in ipairs { "hunter22" } do print(password) end"#,
    #"local ada = { email = "a@b", password = "hunter22" }"#,
    #"if password == "hunter22" then end"#, #"expect.equal(ada.password, "hunter22")"#,
    #"expect.equal("hunter22", password)"#, #"local apiKey = "hunter22""#,
    #"function f() local password <const> = "hunter22" end"#,
    #"local t = { f = function() password = "hunter22" end }"#, #"local myPw = "hunter22""#,
    #"ada_pw = "hunter22""#, #"local adaPass <const> = "hunter22""#, #"resetCode = "hunter22""#,
    #"local actionCode, n = "hunter22", 1"#, #"t.backupCode = "hunter22""#,
    #"local userPassword1 = "hunter22""#, #"local DB_PASS = "hunter22""#,
  ])
  func `a name of a secret hides what it holds`(_ source: String) {
    #expect(!masked(source).contains(Self.secret), "\(masked(source))")
    #expect(SourceSecrets(source).values.contains(Self.secret))
  }

  @Test(arguments: [
    (#"print("password=Zebra-Crossing-4711&user=ada")"#, ["Zebra-Crossing-4711"]),
    (#"print("refresh_token=1//0gAbCd-DEF_123xyz")"#, ["1//0gAbCd-DEF_123xyz"]),
    (#"print("Cookie: sid=COOK-def-8888; b=OTHERCK-7777")"#, ["COOK-def-8888", "OTHERCK-7777"]),
    ("local pin = 4711", ["4711"]), ("local pin = 4711 - 1000", []),
  ])
  func `a secret in a text that is no Lua is read to its end`(_ source: String, _ values: [String])
  {
    #expect(SourceSecrets(source).values == values)
  }

  @Test(arguments: [
    (#"local password = "a\"b\\c-1""#, #"a"b\c-1"#),
    (#"password = 'x\65\x42\u{e9}9876'"#, "xABé9876"),
    ("password = 'first\\z   \n  second'", "firstsecond"),
    (#"password = "tab\t\n12""#, "tab\t\n12"),
    (#"password = "open\u{zz9""#, "openzz9"),
  ])
  func `the escapes of a secret are read`(_ source: String, _ value: String) {
    #expect(SourceSecrets(source).values.contains(value), "\(SourceSecrets(source).values)")
  }

  @Test(arguments: [
    #"auth:signIn("a@b", "hunter22")"#, #"auth.signIn("a@b", "hunter22")"#,
    #"signIn("a@b", "hunter22")"#, #"auth.signIn(auth, "a@b", "hunter22")"#,
    #"auth:createUser("ada@contoso.example", "hunter22")"#,
    #"auth.createUser("ada@contoso.example", "hunter22")"#,
    #"EmailAuthProvider.credential("a@b", "hunter22")"#,
    #"Auth.EmailAuthProvider.credential("a@b", "hunter22", 3)"#,
    #"credential("a@b", "hunter22")"#,
    #"local make = Auth.EmailAuthProvider.credential make("a@b", "hunter22")"#,
    #"merge.password("hunter22")"#, #"merge.password "hunter22""#, #"totp.code("hunter22")"#,
    #"local code = totp.code code("hunter22")"#, #"user:updatePassword "hunter22""#,
    #"user.updatePassword(user, "hunter22")"#, #"auth:signInWithCustomToken("hunter22")"#,
    #"client:revoke("hunter22")"#, #"j:secret "hunter22""#, #"reveal("hunter22")"#,
    #"auth:signIn { email = "a@b", link = "hunter22" }"#,
    #"ui.form { username = "ada", fields = { otp = "hunter22", other = "hunter22" } }"#,
    #"auth:creatUser("a@b", "hunter22")"#, "auth:signIn(\n  \"a@b\",\n  \"hunter22\"\n)",
    #"local function login(email, password) end login("a@b", "hunter22")"#,
    #"http.get("https://a.example/?key=hunter22&x=1")"#,
    #"http.post(url, '{"password":"hunter22"}')"#,
    #"luath.try(auth.createUser, auth, "a@b", "hunter22")"#,
    #"expect.raises("weakPassword", auth.signIn, auth, "a@b.example", "hunter22")"#,
    #"pcall(auth.signInWithCustomToken, auth, "hunter22")"#,
    #"luath.try(auth.createUser, auth, "a", "hunter22")"#,
    #"pcall(auth.signIn, auth, "a", "hunter22")"#, #"pcall(auth["signIn"], auth, "a", "hunter22")"#,
    #"local signIn = auth.signIn pcall(signIn, auth, "a", "hunter22")"#,
    #"auth["signIn"]("a", "hunter22")"#, #"(auth.createUser)("a", "hunter22")"#,
    #"auth["createUser"](auth, "a", "hunter22")"#, #"(auth.signIn)(auth, "a@b", "hunter22")"#,
    #"auth:signIn { email = "a@b", pasword = "hunter22" }"#, #"ui.form { passwort = "hunter22" }"#,
    #"auth:signIn { email = "a@b", secretWord = "hunter22" }"#,
    #"ui.form { username = "ada", kodeord = "hunter22" }"#,
    #"user:link("a@b", "hunter22")"#, #"user:reauthenticate("hunter22")"#,
    #"ada:reauthenticateWithCredential("a@b", "hunter22")"#,
    #"auth:login("a", "hunter22")"#, #"auth:register("a", "hunter22")"#,
    #"auth:login { user = "a", word = "hunter22" }"#, #"client.authenticate("a", "hunter22")"#,
    #"logIn("a", "hunter22")"#, #"pcall(auth.login, auth, "a", "hunter22")"#,
    #"auth:sign_in("a", "hunter22", { persistence = true })"#,
    #"http.get "https://ada:hunter22@a.example/x""#, #"local u = "postgres://ada:hunter22@db/x""#,
    #"http.post(url, "password[new]=hunter22&x=1")"#,
    #"http.post(url, "user%5Bpassword%5D=hunter22")"#,
    #"http.get("https://a.example/?X-Amz-Signature=hunter22")"#,
    #"http.get(url, { headers = { ["X-Auth"] = "hunter22" } })"#,
    #"load [[local password = "hunter22"]]"#, #"-- auth:signIn("a@b", "hunter22")"#,
  ])
  func `an argument that is declared a secret is hidden however the function is called`(
    _ source: String
  ) {
    #expect(!masked(source).contains(Self.secret), "\(masked(source))")
  }

  @Test(arguments: [
    #"auth:signIn("a@b, "hunter22")"#, #"auth:signIn("a@b", "hunter22)"#,
    #"auth:signIn("a@b" "hunter22")"#, #"auth:signIn('a@b', "hunter22"#,
    #"local password = "hunter22"#, #"local password = hunter22""#,
    #"local password "hunter22""#, #"local t = { password: "hunter22" }"#,
    #"f(password = "hunter22")"#, #"local password <const = "hunter22""#,
    "local x = f(\"open\"\nlocal password = \"hunter22\"", #"local password = [[hunter22"#,
    #"{"password": "hunter22"}"#, #"local t = { "email": "a", "password": "hunter22" }"#,
    #"password := "hunter22""#, #"password: string = "hunter22""#,
    #"let password: Optional[str] = "hunter22""#, "local password = `hunter22`",
    "const password = `hunter22`;", "local password = “hunter22”", "auth:signIn(“a@b”, “hunter22”)",
    "local password = 'it's hunter22'", #""password" => "hunter22""#, #"password != "hunter22""#,
    #"auth:createUser("a@b" "hunter22")"#, #"local s = [[ never closed password = "hunter22""#,
    #"auth:signIn("a@b", "hunter22"!)"#, #"auth:signIn(email!, "hunter22")"#,
    #"[auth signInWithEmail:email password:@"hunter22"];"#,
    #"[[FIRAuth auth] signInWithEmail:@"a@b" password:@"hunter22" completion:nil];"#,
    #"Auth.auth().signIn(withEmail: email!, password: "hunter22") { user, error in"#,
    #"if password !== "hunter22" {"#, #"let p = EmailAuthProvider.credential(email!, "hunter22")"#,
  ])
  func `a mistake in the source shows no secret`(_ source: String) {
    #expect(!masked(source).contains(Self.secret), "\(masked(source))")
  }

  @Test(arguments: [
    #"print "hello, world""#, #"expect.equal(user.email, "ada@contoso.example")"#,
    #"expect.raises(Auth.ErrorCode.wrongPassword, f)"#, #"if err.code == "wrongPassword" then end"#,
    #"luath.secret "ADA_PASSWORD""#, #"local password = luath.secret "ADA_PASSWORD""#,
    #"local password = os.getenv("ADA_PASSWORD")"#, #"auth:signIn("microsoft.com", "popup")"#,
    #"journey("signs in with a password", function(j) j:step("types the password") end)"#,
    #"auth:createUser("ada@contoso.example", password)"#, #"page:press "Enter""#,
    #"local t = { state = "waiting", code = "userNotFound", key = "Enter" }"#,
    #"local passwordField = page:locator("input")"#, #"check('this') several('that')"#,
    #"map.code('JBSWY3DPEHPK3PXP')"#, #"http.get("https://a.example/?page=2")"#,
    #"-- don't print the password"#, #"error("the user's password is wrong")"#,
    #"admin:getUser("ada")"#, #"Auth.OAuthProvider("google.com")"#,
    "local a = 1\r\nprint 'x'\r\n", #"local user = { name = "Ada", email = "a@b.example" }"#,
    #"local token = auth.currentUser:getIDToken()"#, #"x = #t.tokens .. "!""#,
    #"ada:credential("microsoft.com", { answers = {} })"#,
    #"local messages = { wrongPassword = "the password is wrong", invalidUserToken = "sign in again" }"#,
    #"expect.equal(Auth.ErrorCode.invalidCustomToken, "invalidCredential")"#,
    #"auth:signIn("Microsoft")"#, #"auth:signIn "google""#, #"local t = { hasPassword = true }"#,
    "local maxPasswords = 3", "local pass, fail = 1234, 5678", "local maxTokens = 4096",
    #"local t = { forgotPassword = "Forgot it?" }"#, #"error "session: 5c1a9f33""#,
    #"print "ticket: JIRA-1""#, #"local path = "a/b""#,
    #"local bypass, compass = "yes1", "north22""#,
    #"local exitCode, errorCode = 123456, "E123456""#, #"auth:login("ada@contoso.example")"#,
    #"user:link("microsoft.com")"#, #"page:link("Next page")"#,
    #"page:login "ada""#, #"auth:signIn("microsoft.com", { answers = { username = "ada" } })"#,
    #"http.get("https://a.example/", { headers = { Accept = "text/html" }, timeout = 3 })"#,
    #"ui.form { username = "ada@contoso.example", consent = false }"#,
    #"print("http://a.example:8080/x@y")"#, "local field = { password = '#password' }",
    #"local ui = { selectors = { password = "form > .second" } }"#,
    #"local labels <const> = { password = "Kennwort", otp = "Einmalcode" }"#,
    #"page:fill("input[type=password]", text)"#,
    #"auth:signIn(credential!)"#, #"auth:signIn{ with = credential! }"#,
    #"if err.code == "auth/account-exists-with-different-credential" then end"#,
    #"if (err.code === "auth/wrong-password") {"#,
    #"[provider setCustomParameters:@{@"prompt": @"consent"}];"#,
    #"Auth.auth().signIn(withEmail: email!, password: password!) { user, error in"#,
  ])
  func `ordinary source stays as it is`(_ source: String) {
    #expect(masked(source) == source)
  }

  @Test(arguments: [
    (
      #"http.get("https://a.example/x?key=hunter22&page=2")"#,
      #"http.get("https://a.example/x?key=[secret]&page=2")"#
    ),
    (#"get "https://ada:hunter22@a.example/x""#, #"get "https://ada:[secret]@a.example/x""#),
    (#"post("a=1&user[password]=hunter22&b=2")"#, #"post("a=1&user[password]=[secret]&b=2")"#),
  ])
  func `of an address only its secrets are hidden`(_ source: String, _ shown: String) {
    #expect(masked(source) == shown)
  }

  @Test func `of a text with a known secret in it only that is hidden`() throws {
    let source = SourceSecrets(#"get "https://a.example/me1234/x?page=2""#)
    let clean: (String) -> String = { $0.replacing("me1234", with: "[secret]") }
    #expect(source.masked(by: "…", clean: clean) == #"get "https://a.example/…/x?page=2""#)
    let place = try #require(source.secrets(clean: clean, isWhole: true).first)
    let pieces = try #require(source.pieces(place, clean: clean))
    #expect(pieces.map(\.text) == ["https://a.example/", "me1234", "/x?page=2"])
    #expect(pieces.map(\.isSecret) == [false, true, false])
  }

  @Test func `lines stay where they are`() {
    let source = "user:updatePassword [[one\ntwo]]\nprint 'x'"
    #expect(masked(source) == "user:updatePassword \"[secret]\"\n\nprint 'x'")
  }

  @Test func `what is in the source is hidden in messages about it`() {
    let source = ShownSource(Array(#"local password = "hunter22" + nothing"#.utf8))
    #expect(source.clean("near '\"hunter22\"'") == "near '\"[secret]\"'")
    #expect(source.clean("attempt to add a nil value") == "attempt to add a nil value")
  }
}
