@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  @Test(arguments: ServerError.allCases)
  func `a refusal survives the wire`(_ error: ServerError) throws {
    for detail in [nil, "words", "words : more words"] {
      let refusal = Refusal(error, detail, status: 403)
      let read = try #require(Refusal(status: 403, body: refusal.body(.emulator)))
      #expect(read == refusal)
      #expect(read.code == error.code)
      #expect(read.message == refusal.message)
    }
  }

  @Test func `a sentence without a name survives the wire`() throws {
    let refusal = Refusal(
      message: "API key not valid. Please pass a valid API key.", status: 400,
      reason: "badRequest", canonicalStatus: "INVALID_ARGUMENT",
      details: [["reason": "API_KEY_INVALID", "domain": "googleapis.com"]])
    let read = try #require(Refusal(status: 400, body: refusal.body(.emulator)))
    #expect(read == refusal)
    #expect(read.message == "API key not valid. Please pass a valid API key.")
    #expect(read.code == .invalidAPIKey)
  }

  @Test(arguments: [
    ("WEAK_PASSWORD : Password should be at least 6 characters", "WEAK_PASSWORD"),
    ("WEAK_PASSWORD: Password should be at least 6 characters", "WEAK_PASSWORD"),
    ("  WEAK_PASSWORD  ", "WEAK_PASSWORD"),
    ("INVALID_IDP_RESPONSE ((Missing assertion in SAMLResponse.))", "INVALID_IDP_RESPONSE"),
    ("SOMETHING_NEW_2 : words", "SOMETHING_NEW_2"),
  ])
  func `the name ends at the first colon`(_ message: String, _ name: String) {
    #expect(Refusal(status: 400, message: message).rawName == name)
  }

  @Test func `an unknown name is kept verbatim as an internal error`() {
    let refusal = Refusal(status: 400, message: "SOMETHING_NEW : words")
    #expect(refusal.error == nil)
    #expect(refusal.code == .internalError)
    #expect(refusal.rawName == "SOMETHING_NEW")
  }

  @Test(arguments: [
    ("keyInvalid", ErrorCode.invalidAPIKey), ("keyInvalidForSomething", .invalidAPIKey),
    ("ipRefererBlocked", .appNotAuthorized), ("forbidden", .insufficientPermission),
  ])
  func `a refused key is known by its reason`(_ reason: String, _ code: ErrorCode) throws {
    let body: JSON = [
      "error": [
        "code": 403, "message": "Some sentence.", "status": "PERMISSION_DENIED",
        "errors": [["message": "Some sentence.", "domain": "global", "reason": .string(reason)]],
      ]
    ]
    #expect(try #require(Refusal(status: 403, body: body)).code == code)
  }

  @Test(arguments: [
    "API_KEY_IOS_APP_BLOCKED", "API_KEY_ANDROID_APP_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED",
    "API_KEY_SERVICE_BLOCKED",
  ])
  func `a restricted key is known by the reason in the details`(_ reason: String) throws {
    let body: JSON = [
      "error": [
        "code": 403, "status": "PERMISSION_DENIED",
        "message": "Requests from this iOS client application <empty> are blocked.",
        "errors": [["message": "…", "domain": "global", "reason": "forbidden"]],
        "details": [
          ["@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason)]
        ],
      ]
    ]
    #expect(try #require(Refusal(status: 403, body: body)).code == .appNotAuthorized)
  }

  @Test func `an emulator's missing key is an invalid key`() throws {
    let body: JSON = [
      "error": [
        "code": 403, "message": "The request is missing a valid API key.",
        "status": "PERMISSION_DENIED", "errors": [["reason": "forbidden"]],
      ]
    ]
    #expect(try #require(Refusal(status: 403, body: body)).code == .invalidAPIKey)
  }

  @Test func `an emulator's missing operation is not implemented`() throws {
    let body: JSON = [
      "error": [
        "code": 501, "message": "Sign-in with IDP is not yet supported.",
        "status": "NOT_IMPLEMENTED", "errors": [["reason": "unimplemented"]],
      ]
    ]
    #expect(try #require(Refusal(status: 501, body: body)).code == .notImplemented)
    #expect(Refusal(status: 501, message: "EMAIL_SIGNIN").code == .notImplemented)
  }

  @Test(arguments: ["{}", "[]", "\"x\"", #"{"error":7}"#, "null"])
  func `a body without an error is no refusal`(_ text: String) throws {
    #expect(Refusal(status: 400, body: try JSON.parse(text)) == nil)
  }

  @Test func `an error in OAuth's shape is read`() throws {
    let body: JSON = ["error": "invalid_grant", "error_description": "Bad token"]
    let refusal = try #require(Refusal(status: 400, body: body))
    #expect(refusal.code == .internalError)
    #expect(refusal.message.contains("invalid_grant"))
  }

  @Test func `a blocking function's answer is taken out of the words`() throws {
    let refusal = Refusal(
      status: 400,
      message: """
        BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: \
        {"error":{"details":{"a":"}"},"message":"Not {you}","status":"PERMISSION_DENIED"}} end
        """)
    #expect(refusal.code == .blockingCloudFunctionError)
    #expect(refusal.functionError?["error"]?["message"] == "Not {you}")
    #expect(Refusal(.blockingFunctionErrorResponse, "no braces").functionError == nil)
    #expect(Refusal(.blockingFunctionErrorResponse, "half { open").functionError == nil)
  }
}
