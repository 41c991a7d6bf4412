@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Journeys
@testable import Host
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeEventTests {
  private func event(
    _ request: HTTPRequest, _ response: HTTPResponse? = nil,
    sender: ObservedExchange.Sender = .script, isEmulator: Bool = false
  ) -> ExchangeEvent {
    let secrets = RunSecrets()
    let failure = HTTPError(.timedOut, "no answer for code=4711-abc", hint: "")
    let exchange = ObservedExchange(
      sender: sender, request: request, isEmulator: isEmulator, began: .now,
      duration: .milliseconds(3), result: response.map { .success($0) } ?? .failure(failure))
    secrets.note(exchange)
    return secrets.event(exchange, number: 1)
  }

  private func url(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

  @Test func `addresses keep their names and lose their secrets, whole and relative`() throws {
    let start = try url(
      "https://accounts.google.com/o/oauth2/auth?client_id=web&state=st-12345#x=1")
    let response = HTTPResponse(
      status: 302, headers: ["Location": "/signin?flow=xnIk2WC4E370DTouarFBGVC5&hl=fr"], url: start)
    let event = event(HTTPRequest(url: start), response, sender: .browser)
    #expect(
      event.url
        == "https://accounts.google.com/o/oauth2/auth?client_id=web&state=[state 1]#x=1")
    let location = event.response?.headers.first { $0.name == "Location" }?.value
    #expect(location == "/signin?flow=[value 1]&hl=fr")
    #expect(event.from == .browser && event.to == .provider && event.operation == "auth")
  }

  @Test func `of an address in an answer only the secret parameters go`() throws {
    let address = try url("https://identitytoolkit.googleapis.com/v1/accounts:createAuthUri")
    let uri =
      "https://accounts.google.com/o/oauth2/auth?client_id=web&scope=openid&state=st-1234567890"
    let answer: JSON = [
      "authUri": .string(uri), "sessionId": "se-1234567890",
      "oobLink": "https://p.example/__/auth/action?mode=signIn&oobCode=oob-1234567890",
    ]
    let event = event(
      HTTPRequest(method: "POST", url: address),
      HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: answer.encodedBytes(),
        url: address))
    let body = try JSON.parse(Array((event.response?.body?.text ?? "").utf8))
    #expect(
      body["authUri"]?.string
        == "https://accounts.google.com/o/oauth2/auth?client_id=web&scope=openid&state=[state 1]")
    #expect(body["sessionId"] == "[session 1]")
    #expect(
      body["oobLink"]?.string
        == "https://p.example/__/auth/action?mode=signIn&oobCode=[action code 1]")
  }

  /// Each URL as it is shown; `@` stands for the host, which is shown too.
  @Test(arguments: [
    (
      "https://@/o/oauth2/auth?client_id=web&scope=openid%20email&state=st-12345678",
      "https://@/o/oauth2/auth?client_id=web&scope=openid%20email&state=[state 1]"
    ),
    (
      "https://@/authorize?code_challenge=abcdefgh123&code_challenge_method=S256&nonce=n-123456",
      "https://@/authorize?code_challenge=[code challenge 1]&code_challenge_method=S256&nonce=[nonce 1]"
    ),
    (
      "http://@:9099/emulator/action?mode=resetPassword&oobCode=oob-1234567&apiKey=k-1234567&lang=fr",
      "http://@:9099/emulator/action?mode=resetPassword&oobCode=[action code 1]&apiKey=[API key 1]&lang=fr"
    ),
    (
      "https://@/p/ada%40contoso.example/?page=2&tenant=7#id_token=it-1234567&expires_in=3600",
      "https://@/p/ada%40contoso.example/?page=2&tenant=7#id_token=[ID token 1]&expires_in=3600"
    ),
    (
      "https://@/next?url=https%3A%2F%2Fother.example%2Fcb%3Fpage%3D2%26code%3Dco-1234567&a=1",
      "https://@/next?url=https%3A%2F%2Fother.example%2Fcb%3Fpage%3D2%26code%3D[code 1]&a=1"
    ),
    (
      "https://@/saml?SAMLRequest=fVLJTsMwEL0&RelayState=rs-1234567&SigAlg=rsa&login_hint=ada",
      "https://@/saml?SAMLRequest=[SAML message 1]&RelayState=[state 1]&SigAlg=rsa&login_hint=ada"
    ),
    (
      "https://@/login?user[name]=ada&user[password]=Marmalade",
      "https://@/login?user%5Bname%5D=ada&user[password]=[password 1]"
    ),
    (
      "https://@/?password=Marmalade&again=Marmalade&token=Marmalade",
      "https://@/?password=[password 1]&again=[password 1]&token=[password 1]"
    ),
    ("https://@/plain/path", "https://@/plain/path"),
    ("https://@/search?q=a+b&lang=de", "https://@/search?q=a%20b&lang=de"),
  ])
  func `a URL keeps scheme, host, path and harmless parameters`(
    address: String, shown: String
  ) throws {
    let whole = address.replacing("@", with: "shop.contoso.example")
    let expected = shown.replacing("@", with: "shop.contoso.example")
    let here = try url("https://api.contoso.example/")
    for sender in [ObservedExchange.Sender.script, .browser] {
      #expect(event(HTTPRequest(url: try url(whole)), sender: sender).url == expected)
    }
    let body: JSON = ["link": .string(whole), "text": .string("open \(whole) now")]
    let response = HTTPResponse(
      status: 302, headers: ["Location": whole, "Content-Type": "application/json"],
      body: body.encodedBytes(), url: here)
    let event = event(HTTPRequest(url: here), response)
    #expect(event.response?.headers.first { $0.name == "Location" }?.value == expected)
    let json = try JSON.parse(Array((event.response?.body?.text ?? "").utf8))
    #expect(json["link"]?.string == expected)
    let words = json["text"]?.string ?? ""
    #expect(words.hasPrefix("open http") && words.contains("contoso.example"))
    #expect(!words.contains("1234567") && !words.contains("Marmalade"), "\(words)")
  }

  @Test func `shown secrets are those of the exchange, and not those of the settings`() throws {
    let secrets = RunSecrets(areShown: true)
    let target = Target(
      projectID: "demo", apiKey: Secret("none"), backend: .emulator(try url("http://127.0.0.1:9")))
    secrets.hide(
      ScriptContext(target: target, environment: ["API_SECRET": "env-s3cret", "HOME": "/home/ada"]))
    let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLWlzLXNlY3JldA"
    let request = HTTPRequest(
      method: "POST", url: try url("https://api.contoso.example/?code=co-123456&x=env-s3cret"),
      headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
      body: Array(#"{"password":"Marmalade","otp":123456,"more":"env-s3cret"}"#.utf8))
    let exchange = ObservedExchange(
      sender: .script, request: request, isEmulator: true, began: .now,
      duration: .milliseconds(3), result: .failure(HTTPError(.timedOut, "env-s3cret", hint: "")))
    secrets.note(exchange)
    let event = secrets.event(exchange, number: 1)
    #expect(event.url == "https://api.contoso.example/?code=co-123456&x=[secret 1]")
    #expect(event.request.headers.contains { $0.value == "Bearer \(token)" })
    #expect(
      event.request.body?.text == #"{"password":"Marmalade","otp":123456,"more":"[secret 1]"}"#)
    #expect(event.error == "[secret 1]")
  }

  @Test func `a secret is found in a form before that is taken apart`() throws {
    let secret = "abCD+efGH/ijKL==&mn%4Fp=q"
    let body: JSON = ["password": .string(secret)]
    let secrets = RunSecrets()
    func told(_ request: HTTPRequest) -> ExchangeEvent {
      let exchange = ObservedExchange(
        sender: .script, request: request, isEmulator: false, began: .now,
        duration: .milliseconds(3), result: .failure(HTTPError(.timedOut, "no answer", hint: "")))
      secrets.note(exchange)
      return secrets.event(exchange, number: 1)
    }
    let address = try url("https://api.contoso.example/")
    _ = told(HTTPRequest(method: "POST", url: address, body: body.encodedBytes()))
    let asked = told(HTTPRequest(url: try url("https://api.contoso.example/p?x=\(secret)&y=1")))
    #expect(asked.url == "https://api.contoso.example/p?x=[password 1]&y=1")
    let form = HTTPRequest(
      method: "POST", url: address,
      headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array("x=\(secret)&y=1".utf8))
    #expect(told(form).request.body?.text == "x=[password 1]&y=1")
  }

  @Test func `headers keep what is no secret`() throws {
    let request = HTTPRequest(
      url: try url("https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=AIza-0123"),
      headers: [
        "Authorization": "Bearer ya29.secret-value", "Cookie": "sid=abc123; theme=dark",
        "X-Goog-Api-Key": "AIza-0123", "Accept-Language": "fr",
      ])
    let event = event(request)
    let headers = event.request.headers.map { "\($0.name): \($0.value)" }
    #expect(
      headers == [
        "Authorization: Bearer [access token 1]", "Cookie: sid=[cookie 1]; theme=[cookie 2]",
        "X-Goog-Api-Key: [API key 1]", "Accept-Language: fr",
      ])
    #expect(event.to == .toolkit && event.operation == "accounts:lookup")
    #expect(event.status == nil && event.response == nil)
    #expect(event.error == "no answer for code=4711-abc")
  }

  @Test func `a token becomes what it says`() throws {
    let claims: JSON = ["sub": "1", "nonce": "n-0123456789", "email": "ada@contoso.example"]
    let header: JSON = ["alg": "RS256"]
    let token =
      "\(header.encodedBase64URL()).\(claims.encodedBase64URL()).c2lnbmF0dXJlLWlzLXNlY3JldA"
    let form = FormFields([
      ("postBody", FormFields([("id_token", token), ("providerId", "x")]).encoded)
    ])
    let answer: JSON = ["id_token": .string(token), "note": .string("it is \(token)")]
    let address = try url("https://securetoken.googleapis.com/v1/token")
    let event = event(
      .post(address, form: form),
      HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: answer.encodedBytes(),
        url: address))
    #expect(event.tokens.map(\.kind) == ["id_token"])
    #expect(
      event.tokens.first?.claims
        == ["sub": "1", "nonce": "[nonce 1]", "email": "ada@contoso.example"])
    #expect(
      event.request.body?.text == "postBody=id_token%3D[ID token 1]%26providerId%3Dx")
    #expect(
      event.response?.body?.text == #"{"id_token":"[ID token 1]","note":"it is [ID token 1]"}"#)
    #expect(event.operation == "token")
  }

  @Test func `an OpenID provider is known wherever it is, and the app's own server is another`()
    throws
  {
    let issuer = "https://login.contoso.example/realms/shop"
    let discovery = event(HTTPRequest(url: try url(issuer + "/.well-known/openid-configuration")))
    #expect(discovery.to == .provider && discovery.operation == "discovery")
    #expect(event(HTTPRequest(url: try url(issuer + "/protocol/token"))).to == .provider)
    #expect(event(HTTPRequest(url: try url("https://shop.contoso.example/orders"))).to == .other)
  }

  @Test func `a body is shown as far as it can be read`() throws {
    let address = try url("https://api.contoso.example/")
    func shown(_ body: [UInt8], _ type: String) -> ExchangeEvent.Body? {
      event(
        HTTPRequest(url: address),
        HTTPResponse(status: 200, headers: ["Content-Type": type], body: body, url: address)
      ).response?.body
    }
    #expect(shown([], "text/plain") == nil)
    let broken = shown(Array(#"{"error": {"code": 400}"#.utf8), "application/json")
    #expect(broken?.text == #"{"error": {"code": 400}"#)
    let numbers = shown(Array(#"{"error":{"code":400},"otp":123456}"#.utf8), "application/json")
    #expect(numbers?.text == #"{"error":{"code":400},"otp":"[code 1]"}"#)
    let picture = shown([0xFF, 0xD8, 0x00], "image/jpeg")
    #expect(picture?.text == nil && picture?.size == 3 && picture?.isTruncated == false)
    let long = shown([UInt8](repeating: 0x61, count: 100_000), "text/plain; charset=utf-8")
    #expect(long?.text?.utf8.count == 65_536 && long?.isTruncated == true)
    #expect(long?.mimeType == "text/plain" && long?.size == 100_000)
    let huge = shown([UInt8](repeating: 0x20, count: 2 << 20), "application/json")
    #expect(huge?.text == nil && huge?.isTruncated == true && huge?.size == 2 << 20)
    let page = Array(
      "<html><form><input type=hidden name=f value=opaque-1234><input name=q value=x></form></html>"
        .utf8)
    let html = try #require(shown(page, "text/html")?.text)
    #expect(html.contains("<input") && !html.contains("opaque-1234"))
  }

  @Test(arguments: [
    (nil, "password=Marmalade&user=ada"), ("text/plain", "user=ada&pass_code=Marmalade"),
    ("text/plain", #"{"password":"Marmalade"}"#), ("text/plain", "access_token=Marmalade ok"),
    ("application/json", #"{"password": "Marmalade", "#),
    ("application/json", #"{"a":1}{"idToken":"Marmalade"}"#),
    ("application/x-ndjson+json", "{\"a\":1}\n{\"nested\":{\"pwd\":\"Marmalade\"}}\n"),
    ("application/json", #"{"text":"{\"password\":\"Marmalade\"}"}"#),
    ("text/plain", #"answer {\"password\": \"Marmalade\"} ended"#),
    ("text/xml", "<u><password kind='x'>Marmalade</password></u>"),
    (nil, "<s:Envelope><wsse:Password>Marmalade</wsse:Password></s:Envelope>"),
    ("text/plain", "Authorization: Bearer Marmalade"), ("text/plain", "user[password]=Marmalade"),
    ("text/plain", "password: 'Marmalade', user: 'ada'"),
  ])
  func `a secret is found by its name whatever the label of the body says`(
    type: String?, text: String
  ) throws {
    let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
    let address = try url("https://api.contoso.example/")
    var request = HTTPRequest(url: address, headers: headers)
    request.body = Array(text.utf8)
    let later = HTTPResponse(
      status: 200, headers: ["Content-Type": "text/plain"],
      body: Array("you said Marmalade".utf8), url: address)
    let event = event(request, later)
    let shown = try #require(event.request.body?.text)
    let label = try #require(shown.firstMatch(of: /\[(password|ID token|access token|code) 1\]/))
      .output.0
    #expect(event.response?.body?.text == "you said \(label)")
    #expect(!shown.contains("Marmalade"))
  }

  @Test func `headers that hold a secret inside their value lose that alone`() throws {
    let request = HTTPRequest(
      url: try url("https://api.contoso.example/"),
      headers: [
        "Link": "<https://api.contoso.example/next?page=2&access_token=at-0123>; rel=next",
        "WWW-Authenticate": #"Custom realm="shop", token="to-4567""#,
        "Ocp-Apim-Subscription-Key": "sub-89ab", "X-Session-Id": "ses-cdef", "X-Sig": "9",
      ])
    let headers = event(request).request.headers.map(\.value)
    #expect(
      headers == [
        "<https://api.contoso.example/next?page=2&access_token=[access token 1]>; rel=next",
        #"Custom realm="shop", token="[token 1]""#, "[key 1]", "[session 1]", "[signature 1]",
      ])
  }

  @Test func `words that only look like fields stay`() throws {
    let address = try url("https://api.contoso.example/")
    let text = "state: waiting, code: 400, at https://host/key: none of it; tokens = 4 <b>key</b>"
    let event = event(
      HTTPRequest(url: address),
      HTTPResponse(
        status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8), url: address))
    #expect(event.response?.body?.text == text)
  }

  @Test(arguments: [
    (
      "http://127.0.0.1:9/identitytoolkit.googleapis.com/v1/projects/p/tenants/t/accounts:lookup",
      Participant.toolkit, "accounts:lookup"
    ),
    (
      "http://127.0.0.1:9/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start", .toolkit,
      "accounts/mfaSignIn:start"
    ),
    (
      "http://127.0.0.1:9/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword",
      .toolkit, "identitytoolkit/verifyPassword"
    ),
    ("http://127.0.0.1:9/emulator/v1/projects/p/oobCodes", .toolkit, "emulator/oobCodes"),
    ("http://127.0.0.1:9/oidc/corp/token", .provider, "token"),
    ("http://127.0.0.1:9/oidc/corp/.well-known/openid-configuration", .provider, "discovery"),
    ("http://127.0.0.1:9/", .other, "none"),
  ])
  func `who is asked for what is read from the address`(
    address: String, receiver: Participant, operation: String
  ) throws {
    let event = event(HTTPRequest(url: try url(address)), isEmulator: true)
    #expect(event.to == receiver)
    #expect(event.operation ?? "none" == operation)
  }
}
