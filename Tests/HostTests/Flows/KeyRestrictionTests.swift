@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct KeyRestrictionTests {
  /// Answers of Google's front end to a key that may not be used so, each with a word of the way out.
  static let refusals: [(words: String, reason: String?, hint: String)] = [
    (
      "Requests from this iOS client application <empty> are blocked.", "API_KEY_IOS_APP_BLOCKED",
      "X-Ios-Bundle-Identifier"
    ),
    (
      "Requests from this iOS client application <empty> are blocked.", nil,
      "X-Ios-Bundle-Identifier"
    ),
    (
      "Requests from this Android client application <empty> are blocked.",
      "API_KEY_ANDROID_APP_BLOCKED", "X-Android-Package"
    ),
    (
      "Requests from this Android client application <empty> are blocked.", nil, "X-Android-Cert"
    ),
    ("Requests from referer <empty> are blocked.", "API_KEY_HTTP_REFERRER_BLOCKED", "Referer"),
    ("Requests from referer https://x.example/ are blocked.", nil, "Referer"),
    ("Blocked.", "ipRefererBlocked", "Referer"),
    (
      "The provided API key has an IP address restriction. The originating IP address violates it.",
      "API_KEY_IP_ADDRESS_BLOCKED", "run luath where"
    ),
    (
      "Requests to this API identitytoolkit method SignUp are blocked.", "API_KEY_SERVICE_BLOCKED",
      "Identity Toolkit API"
    ),
    ("Requests to this API identitytoolkit method SignUp are blocked.", nil, "Token Service API"),
  ]

  private static func response(
    _ status: Int, _ words: String, _ canonical: String, reason: String?
  ) -> ServerResponse {
    var error: JSONObject = [
      "code": .integer(Int64(status)), "message": .string(words), "status": .string(canonical),
      "errors": [
        [
          "message": .string(words), "domain": "global",
          "reason": .string(reason == "ipRefererBlocked" ? "ipRefererBlocked" : "forbidden"),
        ]
      ],
    ]
    if let reason, reason != "ipRefererBlocked" {
      error["details"] = [
        [
          "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
          "domain": "googleapis.com",
        ]
      ]
    }
    return ServerResponse(status: status, json: ["error": .object(error)])
  }

  @Test(arguments: refusals)
  func `a restricted key is refused with the header to send`(
    _ refusal: (words: String, reason: String?, hint: String)
  ) async throws {
    try await CannedServer.run(
      { _ in Self.response(403, refusal.words, "PERMISSION_DENIED", reason: refusal.reason) },
      { server in
        let runner = ScriptRunner(origin: server.origin)
        try await Flow(runner: runner).run(
          program: "KeyRestriction/restricted", given: ["hint": .string(refusal.hint)])
      })
  }

  @Test(arguments: [
    "API key not valid. Please pass a valid API key.", "API key expired. Please renew the API key.",
  ])
  func `a key that is none is told apart`(_ words: String) async throws {
    for reason in ["API_KEY_INVALID", nil] {
      try await CannedServer.run(
        { _ in Self.response(400, words, "INVALID_ARGUMENT", reason: reason) },
        { server in
          try await Flow(runner: ScriptRunner(origin: server.origin)).run(
            """
            local err = refused("invalidAPIKey", auth.signInAnonymously, auth)
            equal(err.rawValue, 17023)
            assert(err.hint:find("apiKey", 1, true), err.hint)
            """)
        })
    }
  }

  @Test func `the target's headers go with every call`() async throws {
    let tokens: JSON = [
      "localId": "U1", "idToken": "x.eyJzdWIiOiJVMSJ9.y", "refreshToken": "r", "expiresIn": "10",
      "access_token": "x.eyJzdWIiOiJVMSJ9.z", "expires_in": "3600", "users": [["localId": "U1"]],
      "schemaVersion": 2,
    ]
    try await CannedServer.run(
      { request in
        guard request.headers["X-Ios-Bundle-Identifier"] == "example.app" else {
          return Self.response(
            403, "Requests from this iOS client application <empty> are blocked.",
            "PERMISSION_DENIED", reason: "API_KEY_IOS_APP_BLOCKED")
        }
        return ServerResponse(json: tokens)
      },
      { server in
        let runner = ScriptRunner(
          origin: server.origin, headers: ["X-Ios-Bundle-Identifier": "example.app"])
        try await Flow(runner: runner).run(program: "KeyRestriction/headers")
        let paths = server.received.map(\.url.path)
        for path in [
          "accounts:signUp", "accounts:lookup", "token", "accounts:sendOobCode",
          "accounts:resetPassword", "accounts:update", "recaptchaConfig", "passwordPolicy",
        ] {
          #expect(paths.contains { $0.hasSuffix(path) }, "\(path)")
        }
      })
  }
}
