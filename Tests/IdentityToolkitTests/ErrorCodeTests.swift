@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ErrorCodeTests {
  @Test(arguments: ErrorRow.all)
  func `a code has the SDKs' number, name and spellings`(_ row: ErrorRow) {
    #expect(row.code.number == row.number)
    #expect(row.code.name == row.name)
    #expect(row.code.webCode == "auth/\(row.webName)")
    #expect(ErrorCode(rawValue: "\(row.code)") == row.code)
  }

  @Test(arguments: ErrorRow.all)
  func `each wire name of a code leads to it`(_ row: ErrorRow) throws {
    for wireName in row.wireNames {
      let error = try #require(ServerError(rawValue: wireName), "\(wireName)")
      #expect(error.code == row.code)
      let refusal = Refusal(status: 400, message: "\(wireName) : some words: with a colon")
      #expect(refusal.code == row.code)
      #expect(refusal.rawName == wireName)
      #expect(refusal.detail == "some words: with a colon")
    }
  }

  @Test(arguments: ErrorCode.allCases)
  func `a code says what happened and what to do`(_ code: ErrorCode) {
    for sentence in [code.summary, code.hint] {
      #expect(!sentence.isEmpty)
      #expect(!sentence.hasSuffix("."))
      #expect(sentence.prefix(2).contains { $0.isLowercase } || sentence.hasPrefix("Auth"))
    }
    #expect(code.webCode.hasPrefix("auth/"))
  }

  @Test func `every row of the SDKs is there and no number is used twice`() {
    let numbers = ErrorCode.allCases.map(\.number)
    #expect(Set(numbers).count == numbers.count)
    #expect(Set(ErrorRow.all.map(\.number)) == Set(numbers.filter { $0 < 18100 }))
    #expect(Set(ErrorCode.allCases.map(\.name)).count == numbers.count)
    #expect(Set(numbers).isDisjoint(with: [17035, 17068, 17074]), "these are retired")
  }

  /// Names the Apple SDK leaves unmapped, with the code each has here.
  @Test(arguments: [
    ("INVALID_CREDENTIAL_OR_PROVIDER_ID", ErrorCode.invalidCredential),
    ("RESET_PASSWORD_EXCEED_LIMIT", .tooManyRequests),
    ("INVALID_TEMPORARY_PROOF", .invalidCredential),
    ("MISSING_PASSWORD", .missingPassword),
    ("PHONE_NUMBER_EXISTS", .credentialAlreadyInUse),
    ("INVALID_OAUTH_CLIENT_ID", .invalidClientID),
    ("INVALID_TENANT_ID", .invalidTenantID),
    ("MISSING_CODE", .missingVerificationCode),
    ("MISSING_SESSION_INFO", .missingVerificationID),
    ("MISSING_PHONE_NUMBER", .missingPhoneNumber),
    ("MISSING_CUSTOM_TOKEN", .invalidCustomToken),
    ("MISSING_ID_TOKEN", .invalidUserToken),
    ("INVALID_REFRESH_TOKEN", .userTokenExpired),
    ("INVALID_RECAPTCHA_SCORE", .captchaCheckFailed),
    ("INVALID_LOCAL_ID", .userNotFound),
    ("CONFIGURATION_NOT_FOUND", .configurationNotFound),
    ("PROJECT_DISABLED", .projectDisabled),
  ])
  func `a name the Apple SDK does not map has a code`(_ name: String, _ code: ErrorCode) {
    #expect(ServerError(rawValue: name)?.code == code)
  }
}
