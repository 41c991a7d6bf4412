internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:query`: counts accounts, or lists them in an order.
  func query(_ call: Call) throws(Refusal) -> JSONObject {
    let request = AccountQuery(call.fields)
    guard rules[.furtherOperations] else { return try plainQuery(request) }
    let found = request.matches(in: &accounts)
    guard request.returnsAccounts else { return ["recordsCount": .string(String(found.count))] }
    let page = try request.page(of: found)
    return [
      "recordsCount": .string(String(page.count)),
      "userInfo": .array(page.map { wire($0) }),
    ]
  }

  /// The query of Firebase's emulator, which can only count, and list all accounts by uid.
  private func plainQuery(_ request: AccountQuery) throws(Refusal) -> JSONObject {
    guard request.expressions.isEmpty else {
      throw .notImplemented("expression is not implemented.")
    }
    guard request.returnsAccounts else {
      return ["recordsCount": .string(String(accounts.count))]
    }
    guard request.limit == nil else { throw .notImplemented("limit is not implemented.") }
    guard request.offset == nil || request.offset == "0" else {
      throw .notImplemented("offset is not implemented.")
    }
    guard request.order == .userID else {
      throw .notImplemented("Only sorting by USER_ID is implemented.")
    }
    let found = accounts.all()
    return [
      "recordsCount": .string(String(found.count)),
      "userInfo": .array(
        (request.isDescending ? found.reversed() : found).map { wire($0) }),
    ]
  }
}
