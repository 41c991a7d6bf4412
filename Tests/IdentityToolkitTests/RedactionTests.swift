@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RedactionTests {
  @Test func `a token far into a text is masked as one at its beginning`() {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"
    let words = String(repeating: "words ", count: 20)
    #expect(!Redaction().clean(words + token + " end").contains("eyJhbGci"))
    #expect(Redaction().clean(words + token + " end").hasSuffix(" end"))
  }

  @Test func `what the body keeps secret is masked, as it is and percent-encoded`() {
    let body: JSONObject = [
      "password": "pa ss+word", "email": "ada@contoso.example",
      "postBody": "providerId=oidc.corp&id_token=opaque%2Ftoken&nonce=raw-nonce",
      "requestUri": "http://localhost/cb?code=the-code&state=the-state#id_token=frag-token",
    ]
    let text = Redaction(body: body).clean(
      "pa ss+word pa%20ss%2Bword opaque/token raw-nonce the-code the-state frag-token oidc.corp")
    #expect(
      text
        == "[secret] [secret] [secret] [secret] [secret] [secret] [secret] oidc.corp")
  }

  @Test func `the issuer in a provider's response is no secret`() {
    let issuer = "https%3A%2F%2Fidp.example%3A8443%2Fcorp"
    for body: JSONObject in [
      ["requestUri": .string("http://localhost/cb?code=the-code&state=the-state&iss=\(issuer)")],
      ["requestUri": .string("http://localhost/cb#code=the-code&iss=\(issuer)&state=the-state")],
      ["postBody": .string("iss=\(issuer)&code=the-code&state=the-state&providerId=oidc.corp")],
    ] {
      let text = Redaction(body: body).clean(
        "https://idp.example:8443/corp/token refuses the-code of the-state")
      #expect(text == "https://idp.example:8443/corp/token refuses [secret] of [secret]")
    }
    let twice: JSONObject = ["requestUri": "http://localhost/cb?code=the-code&iss=the-code"]
    #expect(Redaction(body: twice).clean("the-code") == "[secret]")
  }

  @Test func `tokens and queries are masked though nobody named them`() {
    let text = Redaction().clean(
      "bad id_token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln at https://a.example/cb?code=abc now")
    #expect(text == "bad id_token=[secret] at https://a.example/cb?[secret] now")
  }

  @Test func `control characters become spaces`() {
    #expect(Redaction().clean("a\u{1B}[31mb\nc\u{7F}d\u{9B}e") == "a [31mb c d e")
  }

  @Test func `long words are cut between characters`() {
    let text = Redaction().clean(String(repeating: "é", count: 2000))
    #expect(text.utf8.count < 700)
    #expect(text.hasSuffix("é…"))
  }

  @Test func `an object loses its secret members`() {
    let json: JSON = [
      "email": "ada@contoso.example", "idToken": "x", "nested": [["refreshToken": "y", "n": 1]],
    ]
    #expect(
      Redaction().clean(json) == ["email": "ada@contoso.example", "nested": [["n": 1]]])
  }

  @Test func `a secret inside another does not uncover it`() {
    let redaction = Redaction(secrets: ["abcd", "abcdefgh"])
    #expect(redaction.clean("abcdefgh abcd") == "[secret] [secret]")
  }
}
