@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit

/// Answers as the backend sends them, and what a test starts from.
enum Recorded {
  /// A clock that goes when it is told to.
  final class HandClock: AuthClock {
    var now: Int64 = 1_700_000_000
  }

  struct Setup {
    let backend = RecordedBackend()
    let clock = HandClock()
    let auth: Auth

    init(isEmulated: Bool = true) {
      guard let url = WebURL("http://127.0.0.1:9099") else { preconditionFailure("a constant") }
      auth = Auth(
        target: Target(
          projectID: "p", apiKey: Secret("the-api-key"),
          backend: isEmulated ? .emulator(url) : .production),
        transport: backend, clock: clock)
    }

    /// Signs in to the account the backend has, with a password.
    func signIn() async throws -> User {
      backend.queue(.signInWithPassword, .ok(password))
      let result = try await auth.signIn(email: "ada@contoso.example", password: Secret("p4ssword"))
      return result.user
    }
  }

  static let password: JSON = [
    "kind": "identitytoolkit#VerifyPasswordResponse", "localId": "U1",
    "email": "ada@contoso.example", "idToken": .string(token("U1")), "registered": true,
    "refreshToken": "refresh-token-1", "expiresIn": "3600",
  ]

  /// An unsigned ID token of a user.
  static func token(_ uid: String, _ more: String = "") -> String {
    let payload = #"{"user_id":"\#(uid)","sub":"\#(uid)","iat":100,"exp":3700\#(more)}"#
    let parts = [#"{"alg":"none","typ":"JWT"}"#, payload].map { Base64URL.encode(Array($0.utf8)) }
    return "\(parts[0]).\(parts[1])."
  }

  static func account(_ uid: String, providers: String...) -> JSON {
    [
      "localId": .string(uid), "email": "ada@contoso.example", "emailVerified": false,
      "displayName": "Ada", "photoUrl": "https://a.example/p.png", "createdAt": "1500000000000",
      "lastLoginAt": "1600000000000", "passwordHash": "UkVEQUNURUQ=",
      "providerUserInfo": .array(
        providers.map {
          [
            "providerId": .string($0), "rawId": "raw-\($0)", "federatedId": "https://fed/\($0)",
            "email": "ada@contoso.example",
          ]
        }),
    ]
  }

  static func tokens(_ uid: String = "U1", _ more: JSONObject = [:]) -> JSON {
    var answer: JSONObject = [
      "localId": .string(uid), "idToken": .string(token(uid)),
      "refreshToken": .string("refresh-of-\(uid)"), "expiresIn": "3600",
    ]
    for entry in more.entries { answer[entry.key] = entry.value }
    return .object(answer)
  }

  /// A sign-in of an OpenID Connect provider.
  static let oidc = tokens(
    "U1",
    [
      "federatedId": "sub-1", "providerId": "oidc.corp", "email": "a@x.example",
      "emailVerified": true, "oauthIdToken": "eyJ-idp-id-token",
      "rawUserInfo": #"{"sub":"sub-1","email":"a@x.example"}"#, "isNewUser": true,
      "kind": "identitytoolkit#VerifyAssertionResponse",
    ])

  /// The e-mail address belongs to someone who signs in another way.
  static let conflict: JSON = [
    "providerId": "microsoft.com", "federatedId": "f-1", "email": "a@x.example",
    "emailVerified": false, "localId": "existing-uid", "needConfirmation": true,
    "verifiedProvider": ["google.com"], "oauthAccessToken": "EwB-access-token",
    "oauthIdToken": "eyJ-idp-id-token", "oauthExpireIn": 3599, "pendingToken": "AQc-pending",
    "rawUserInfo": "{}",
  ]

  /// A link that is refused with status 200.
  static func linkRefused(_ name: String) -> JSON {
    [
      "errorMessage": .string(name), "providerId": "microsoft.com", "email": "a@x.example",
      "oauthAccessToken": "EwB-access-token", "pendingToken": "AQc-pending",
    ]
  }

  static let secondFactor: JSON = [
    "localId": "U1", "mfaPendingCredential": "mfa-pending-secret",
    "mfaInfo": [
      [
        "mfaEnrollmentId": "E1", "displayName": "phone", "phoneInfo": "+*******1234",
        "enrolledAt": "2024-01-01T00:00:00Z",
      ]
    ],
  ]

  static let authorization: JSON = [
    "authUri": """
    https://login.microsoftonline.com/common/oauth2/v2.0/authorize?client_id=c&state=the-state\
    &redirect_uri=x
    """, "sessionId": "the-session-id", "providerId": "microsoft.com",
  ]

  static let handler = "http://127.0.0.1:9099/__/auth/handler"
}

/// Runs what must fail and gives the error.
func failure(_ body: () async throws -> Void) async -> AuthError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? AuthError
  }
}
