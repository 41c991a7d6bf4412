@testable import IdentityToolkit
import Testing

@Suite struct SecretNamesTests {
  @Test(
    arguments: [
      "token", "bearer", "secret", "jwt", "access_key", "pass", "pin", "pw",
    ])
  func `a word under a name that is mostly one of secrets is hidden there only`(_ name: String) {
    #expect(SecretNames.holdSecrets(name))
    #expect(SecretNames.isHidden("abcdefgh", inField: name))
    #expect(!SecretNames.isHidden("abcdefg", inField: name))
    #expect(!SecretNames.isHidden("all of them passed", inField: name))
    #expect(!SecretNames.isSecret("abcdefgh", under: name))
    #expect(SecretNames.isSecret("abcdefg8", under: name))
  }

  @Test(arguments: [
    "secretKey", "clientSecret", "apiKey", "privateKey", "refreshToken", "aws-secret-key",
  ])
  func `a word under a name of secrets is one everywhere`(_ name: String) {
    #expect(SecretNames.holdSecrets(name))
    #expect(SecretNames.isSecret("abcdefgh", under: name))
  }

  @Test(arguments: ["state", "code", "key", "nonce", "session", "ticket", "name"])
  func `a word under any other name stays`(_ name: String) {
    #expect(!SecretNames.isHidden("abcdefgh", inField: name))
    #expect(!SecretNames.isSecret("abcdefgh", under: name) || name == "name")
  }

  @Test func `names of errors are no secrets, though many end with a name of one`() {
    for code in ErrorCode.allCases {
      #expect(!SecretNames.isSecret(code.rawValue, under: code.rawValue))
    }
    #expect(!SecretNames.isSecret("the password is wrong", under: "wrongPassword"))
    #expect(SecretNames.isSecret("correct horse battery", under: "password"))
  }

  @Test(arguments: [
    "password", "PASSWORD_OF_ADA", "password2", "passwords", "adaPassword", "apiKeys", "idToken",
    "resetCode", "action_code", "backupCode2", "smsCode1", "Passwort", "adaPwd",
  ])
  func `what a variable of such a name holds is a secret`(_ name: String) {
    #expect(SecretNames.isCertain(name))
  }

  @Test(arguments: [
    "passwordField", "tokenURL", "state", "keys", "monkey", "passwordUpdatedAt",
    "forgotPassword", "hasPassword", "maxTokens", "exitCode", "countryCode", "bypass", "compass",
  ])
  func `what a variable of such a name holds may be anything`(_ name: String) {
    #expect(!SecretNames.isCertain(name))
  }

  @Test(arguments: [
    "myPw", "ada_pw", "adaPass", "DB_PASS", "X-Amz-Signature", "X-Auth", "password[new]",
    "user[password]", "user.password",
  ])
  func `a name that ends with one of secrets holds one`(_ name: String) {
    #expect(SecretNames.holdSecrets(name))
  }

  @Test(arguments: ["pin", "myPin", "resetCode", "otp", "password"])
  func `a number under such a name may be a secret`(_ name: String) {
    #expect(SecretNames.mayHoldNumber(name))
  }

  @Test(arguments: ["pass", "fail", "passwords", "hasPassword", "maxTokens", "port"])
  func `a number under such a name counts something`(_ name: String) {
    #expect(!SecretNames.mayHoldNumber(name))
  }
}
