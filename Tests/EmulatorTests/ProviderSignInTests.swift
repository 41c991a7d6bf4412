@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

/// Whole sign-ins through the pages of the emulated providers, as a script and a person do them.
@Suite(.timeLimit(.minutes(1)))
struct ProviderSignInTests {
  private func signIn(
    _ emulator: Fixture, _ provider: String, as email: String,
    parameters: JSONObject = [:], _ more: JSONObject = [:]
  ) async throws -> Fixture.Reply {
    let started = try await emulator.call(
      .createAuthUri,
      [
        "providerId": .string(provider), "continueUri": "http://localhost:9/cb",
        "customParameter": .object(parameters),
      ])
    let address = try #require(started["authUri"]?.string, "\(started.message)")
    let url = try await Browser(emulator).signIn(
      at: address, as: email, password: ProjectConfiguration.demoPassword)
    var body: JSONObject = [
      "requestUri": .string(url), "sessionId": started["sessionId"] ?? .null,
      "returnIdpCredential": true, "returnSecureToken": true,
    ]
    for (name, value) in more.entries { body[name] = value }
    return try await emulator.call(.signInWithIdp, .object(body))
  }

  private func person(_ email: String) throws -> Person {
    try #require(ProjectConfiguration.demo.people.first { $0.email == email })
  }

  @Test func `a work account's uid at Microsoft is its oid, not its sub`() async throws {
    try await Fixture.run { emulator in
      let reply = try await signIn(
        emulator, "microsoft.com", as: "ada@contoso.example",
        parameters: ["tenant": "contoso.example"])
      #expect(reply["isNewUser"] == true, "\(reply.message)")
      let ada = try person("ada@contoso.example")
      #expect(reply["federatedId"] == .string(ada.microsoft.oid))
      #expect(reply["email"] == "ada@contoso.example")
      #expect(reply["emailVerified"] == false)
      #expect(reply["photoUrl"] == nil)
      let profile = try JSON.parse(try #require(reply["rawUserInfo"]?.string))
      #expect(profile["id"] == .string(ada.microsoft.oid))
      #expect(profile["displayName"] == "Ada Lovelace")
      let idToken = try JWT(decoding: try #require(reply["oauthIdToken"]?.string))
      #expect(idToken.claims["oid"] == .string(ada.microsoft.oid))
      #expect(idToken.claims["sub"] != .string(ada.microsoft.oid))
      let user = try await emulator.user(reply["idToken"])
      #expect(user["providerUserInfo"]?[0]?["rawId"] == .string(ada.microsoft.oid))
      let me = try await emulator.send(
        HTTPRequest(
          url: try #require(WebURL("\(emulator.origin)/graph.microsoft.com/v1.0/me")),
          headers: ["Authorization": "Bearer \(reply["oauthAccessToken"]?.string ?? "")"]))
      #expect(me["id"] == .string(ada.microsoft.oid))
    }
  }

  @Test func `a personal account's uid is the tail of its oid`() async throws {
    try await Fixture.run { emulator in
      let reply = try await signIn(emulator, "microsoft.com", as: "alan@outlook.example")
      let alan = try person("alan@outlook.example")
      #expect(reply["federatedId"] == .string(alan.microsoft.graphID), "\(reply.message)")
      #expect(alan.microsoft.graphID.utf8.count == 16)
    }
  }

  @Test func `Yahoo and Google sign in with their own uid`() async throws {
    try await Fixture.run { emulator in
      let yuki = try await signIn(emulator, "yahoo.com", as: "yuki@yahoo.example")
      #expect(yuki["isNewUser"] == true, "\(yuki.message)")
      let person = try person("yuki@yahoo.example")
      #expect(yuki["federatedId"] == .string(person.subject(at: "yahoo.com")))
      let barbara = try await signIn(emulator, "google.com", as: "barbara@corp.example")
      #expect(barbara["emailVerified"] == true, "\(barbara.message)")
      #expect(barbara["federatedId"]?.string?.hasPrefix("https://accounts.google.com/") == true)
    }
  }

  @Test(arguments: ["oidc.corp", "oidc.implicit"])
  func `the emulator's own OIDC server takes both flows`(provider: String) async throws {
    try await Fixture.run { emulator in
      let reply = try await signIn(emulator, provider, as: "barbara@corp.example")
      #expect(reply["providerId"] == .string(provider), "\(reply.message)")
      #expect(reply["isNewUser"] == true)
      let again = try await signIn(emulator, provider, as: "barbara@corp.example")
      #expect(again["localId"] == reply["localId"])
    }
  }

  @Test(arguments: ["microsoft.com", "yahoo.com"])
  func `the merge of a password account and a provider`(provider: String) async throws {
    let email = provider == "yahoo.com" ? "yuki@yahoo.example" : "ada@contoso.example"
    try await Fixture.run { emulator in
      let owner = try await emulator.signUp(email)
      let conflict = try await signIn(emulator, provider, as: email)
      #expect(conflict["needConfirmation"] == true, "\(conflict.message)")
      let linked = try await emulator.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost", "pendingToken": conflict["pendingToken"] ?? .null,
          "postBody": .string("providerId=\(provider)&access_token=x"),
          "idToken": owner["idToken"] ?? .null, "returnIdpCredential": true,
        ])
      #expect(linked["localId"] == owner["localId"], "\(linked.message)")
      let back = try await signIn(emulator, provider, as: email)
      #expect(back["localId"] == owner["localId"])
      #expect(back["needConfirmation"] == nil)
    }
  }

  @Test func `a person who declines ends at an error the backend refuses`() async throws {
    try await Fixture.run { emulator in
      let started = try await emulator.call(
        .createAuthUri, ["providerId": "google.com", "continueUri": "http://localhost:9/cb"])
      let url = try await Browser(emulator).signIn(
        at: started["authUri"]?.string ?? "", as: "barbara@corp.example",
        password: ProjectConfiguration.demoPassword, consents: false)
      #expect(url.contains("error=access_denied"))
      let reply = try await emulator.call(
        .signInWithIdp,
        ["requestUri": .string(url), "sessionId": started["sessionId"] ?? .null])
      #expect(reply.error == "INVALID_IDP_RESPONSE")
      #expect(reply.message.contains("access_denied"))
    }
  }

  @Test func `a Google token of the manual flow is checked for its audience`() async throws {
    try await Fixture.run { emulator in
      let first = try await signIn(emulator, "google.com", as: "barbara@corp.example")
      let access = first["oauthAccessToken"]?.string ?? ""
      let reply = try await emulator.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost",
          "postBody": .string("providerId=google.com&access_token=\(access)"),
        ])
      #expect(reply["localId"] == first["localId"], "\(reply.message)")
    }
  }

  /// What `credentialFromError` of the web SDK keeps: of Google's answers the tokens, of the others' the
  /// pending token.
  @Test(arguments: [
    ("google.com", "barbara@corp.example"), ("microsoft.com", "ada@contoso.example"),
    ("yahoo.com", "yuki@yahoo.example"), ("oidc.corp", "barbara@corp.example"),
    ("oidc.implicit", "barbara@corp.example"),
  ])
  func `the credential of a refused link signs in to the account that has it`(
    provider: String, email: String
  ) async throws {
    try await Fixture.run { emulator in
      let owner = try await signIn(emulator, provider, as: email)
      let guest = try await emulator.call(.signUp)
      let refused = try await signIn(
        emulator, provider, as: email, ["idToken": guest["idToken"] ?? .null])
      #expect(refused["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED", "\(refused.message)")
      var body: JSONObject = ["requestUri": "http://localhost", "returnSecureToken": true]
      if provider == "google.com" {
        let tokens = FormFields([
          ("id_token", refused["oauthIdToken"]?.string ?? ""),
          ("access_token", refused["oauthAccessToken"]?.string ?? ""),
          ("providerId", provider),
        ])
        body["postBody"] = .string(tokens.encoded)
      } else {
        body["pendingToken"] = refused["pendingToken"]
      }
      let back = try await emulator.call(.signInWithIdp, .object(body))
      #expect(back["localId"] == owner["localId"], "\(back.message)")
      #expect(back["idToken"]?.string != nil)
    }
  }
}
