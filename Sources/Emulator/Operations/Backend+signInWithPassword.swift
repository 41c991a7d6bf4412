internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:signInWithPassword`.
  func signInWithPassword(_ call: Call) throws(Refusal) -> JSONObject {
    let email = try call.fields.string("email")
    let password = try call.fields.string("password")
    guard configuration.enabledProvider("password") != nil else {
      throw Refusal(.passwordLoginDisabled)
    }
    guard let email, !email.isEmpty else { throw Refusal(.missingEmail) }
    guard let address = EmailAddress.normalized(email) else { throw Refusal(.invalidEmail) }
    guard let password, !password.isEmpty else { throw Refusal(.missingPassword) }
    // Protected, an unknown address and a wrong password look the same.
    let isProtected = configuration.enumerationProtection
    guard var account = accounts[email: address] else {
      throw Refusal(isProtected ? .invalidLoginCredentials : .emailNotFound)
    }
    guard let record = account.password, record.matches(password) else {
      throw Refusal(isProtected ? .invalidLoginCredentials : .invalidPassword)
    }
    let tokens = try signIn(&account, provider: "password")
    var answer: JSONObject = [
      "kind": "identitytoolkit#VerifyPasswordResponse", "registered": true,
    ]
    answer["localId"] = .string(account.uid)
    answer.set("email", account.email)
    answer["displayName"] = .string(account.displayName ?? "")
    answer.set("profilePicture", account.photoURL)
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }
}
