internal import System

/// A short description of an exchange, from the visible parts of its bodies.
struct ExchangeStory {
  let text: String
  let uid: String?

  init(
    names: ExchangeNames, method: String, status: Int, request: JSON?, response: JSON?,
    isAdmin: Bool
  ) {
    let user = response?["users"]?[0]
    uid =
      response?["localId"]?.string ?? response?["user_id"]?.string ?? user?["localId"]?.string
      ?? request?["localId"]?.string
    guard status < 400 else {
      let message = response?["error"]?["message"]?.string ?? response?["error"]?.string
      text = "refused: \(message ?? String(status))"
      return
    }
    let email = response?["email"]?.string ?? request?["email"]?.string
    let who = email ?? response?["phoneNumber"]?.string ?? uid ?? "somebody"
    text = Self.text(
      names.operation, who: who, email: email, method: method, isAdmin: isAdmin, request, response)
  }

  private static func text(
    _ operation: String, who: String, email: String?, method: String, isAdmin: Bool,
    _ request: JSON?, _ response: JSON?
  ) -> String {
    switch operation {
    case "signUp":
      if isAdmin { return "created \(who)" }
      return email == nil ? "somebody signed in anonymously" : "\(who) signed up"
    case "signInWithPassword": return "\(who) signed in with a password"
    case "signInWithPhoneNumber": return "\(who) signed in by phone"
    case "signInWithEmailLink": return "\(who) signed in by an e-mailed link"
    case "signInWithCustomToken": return "\(who) signed in with a custom token"
    case "signInWithIdp":
      let provider = response?["providerId"]?.string ?? "a provider"
      if response?["needConfirmation"]?.bool == true { return "\(who) must confirm at \(provider)" }
      if let message = response?["errorMessage"]?.string { return "refused: \(message)" }
      return "\(who) signed in with \(provider)"
    case "token": return "a token was refreshed"
    case "lookup": return "looked up \(count(response?["users"], "account"))"
    case "update":
      let fields = (request?.object?.keys ?? []).filter {
        !["localId", "idToken", "returnSecureToken", "targetProjectId"].contains($0)
      }
      return "changed \(who): \(fields.prefix(6).joined(separator: ", "))"
    case "delete": return "deleted \(who)"
    case "sendOobCode":
      return "mail to \(who): \(request?["requestType"]?.string ?? "a code")"
    case "resetPassword": return "a code from a mail was used for \(who)"
    case "sendVerificationCode":
      return "SMS to \(request?["phoneNumber"]?.string ?? "a phone")"
    case "batchCreate": return "imported \(count(request?["users"], "account"))"
    case "batchDelete": return "deleted \(count(request?["localIds"], "account"))"
    case "batchGet", "query": return "listed \(count(response?["users"], "account"))"
    case "accounts" where method == "DELETE": return "deleted all accounts"
    case "createTenant": return "made the tenant \(response?["tenantId"]?.string ?? "")"
    case "deleteTenant": return "deleted a tenant"
    case "configuration", "updateConfig", "updateTenant":
      return method == "GET" ? operation : "changed settings"
    default: return operation
    }
  }

  private static func count(_ list: JSON?, _ noun: String) -> String {
    let count = list?.array?.count ?? 0
    return "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
