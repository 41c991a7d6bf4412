@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProfileTests {
  let setup = Recorded.Setup()
  var backend: RecordedBackend { setup.backend }

  private static let changes: [(ProfileChange, ProfileChange, JSON)] = [
    (.set("Ada L."), .keep, ["returnSecureToken": true, "displayName": "Ada L."]),
    (
      .clear, .set("https://a.example/x.png"),
      [
        "returnSecureToken": true, "photoUrl": "https://a.example/x.png",
        "deleteAttribute": ["DISPLAY_NAME"],
      ]
    ),
    (
      .set(""), .clear,
      ["returnSecureToken": true, "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]]
    ),
  ]

  @Test(arguments: changes)
  func `a field is set, or cleared by deleting its attribute`(
    _ name: ProfileChange, _ photo: ProfileChange, _ expected: JSON
  ) async throws {
    let user = try await setup.signIn()
    backend.queue(.update, .ok(["localId": "U1"]))
    try await user.updateProfile(displayName: name, photoURL: photo)
    var body = try #require(backend.calls(of: .update).first?.body.object)
    #expect(body["idToken"]?.string == Recorded.token("U1"))
    body["idToken"] = nil
    #expect(.object(body) == expected)
  }

  @Test func `nothing to change is nothing to send`() async throws {
    let user = try await setup.signIn()
    try await user.updateProfile()
    #expect(backend.calls(of: .update).isEmpty)
  }

  @Test func `tokens that an update returns are taken over`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .update, .ok(Recorded.tokens("U1", ["idToken": "new-id-token", "refreshToken": "new"])))
    try await user.updatePassword(Secret("another p4ssword"))
    #expect(user.refreshToken.reveal() == "new")
    #expect(backend.calls(of: .lookup).last?.body["idToken"] == "new-id-token")
  }

  @Test func `a change is read back`() async throws {
    let user = try await setup.signIn()
    backend.queue(.update, .ok(["localId": "U1"]))
    backend.account = ["localId": "U1", "email": "new@x.example", "emailVerified": true]
    try await user.updateEmail("new@x.example")
    #expect(user.email == "new@x.example")
    #expect(user.isEmailVerified)
    #expect(user.displayName == nil)
  }

  @Test func `empty values are refused before they are sent`() async throws {
    let user = try await setup.signIn()
    #expect(await failure { try await user.updateEmail("") }?.code == .missingEmail)
    #expect(await failure { try await user.updatePassword(Secret("")) }?.code == .weakPassword)
    #expect(backend.calls(of: .update).isEmpty)
  }

  @Test func `enumeration protection refuses a change of address in clear words`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .update,
      .refused("OPERATION_NOT_ALLOWED : Please verify the new email before changing email."))
    let error = await failure { try await user.updateEmail("new@x.example") }
    #expect(error?.code == .operationNotAllowed)
    #expect(error?.message.hasSuffix("Please verify the new email before changing email.") == true)
    #expect(error?.hint.contains("enumeration") == true)
  }

  @Test func `deleting the account signs out`() async throws {
    let user = try await setup.signIn()
    backend.queue(.delete, .ok([:]))
    try await user.delete()
    #expect(setup.auth.currentUser == nil)
    let body = try #require(backend.calls(of: .delete).first?.body)
    #expect(body["localId"] == "U1")
    #expect(body["idToken"]?.string == Recorded.token("U1"))
  }

  @Test func `a deletion that needs a recent sign-in leaves the user`() async throws {
    let user = try await setup.signIn()
    backend.queue(.delete, .refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN"))
    let error = await failure { try await user.delete() }
    #expect(error?.code == .requiresRecentLogin)
    #expect(error?.hint.contains("user:reauthenticate") == true)
    #expect(setup.auth.currentUser === user)
  }

  @Test(arguments: [
    [] as JSON, [Recorded.account("U1"), Recorded.account("U2")], [Recorded.account("U2")], nil,
  ])
  func `a lookup must find this account and no other`(_ users: JSON) async throws {
    let user = try await setup.signIn()
    backend.queue(.lookup, .ok(["users": users]))
    #expect(await failure { try await user.reload() }?.code == .internalError)
    #expect(user.email == "ada@contoso.example")
  }
}
