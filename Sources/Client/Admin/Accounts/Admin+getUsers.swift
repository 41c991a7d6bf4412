import System
import IdentityToolkit

/// The result of looking up many accounts.
public struct FoundUsers: Sendable {
  /// The found accounts, each once, even if several identifiers name it.
  public var users: [UserRecord] = []
  /// The positions, from 0, of identifiers without an account.
  public var notFound: [Int] = []
}

extension Admin {
  /// The maximum number of accounts per request.
  private static let mostIdentifiers = mostLookedUp

  /// Looks up any number of accounts, 100 per request.
  public func getUsers(_ identifiers: [UserIdentifier]) async throws(AdminError) -> FoundUsers {
    var found = FoundUsers()
    var seen: Set<ExactString> = []
    for start in stride(from: 0, to: identifiers.count, by: Self.mostIdentifiers) {
      let part = identifiers[start..<min(start + Self.mostIdentifiers, identifiers.count)]
      let answer = try await call(
        AdminRequest("accounts:lookup", Self.lookup(part), isRepeatable: true))
      var users: [UserRecord] = []
      for user in answer["users"]?.array ?? [] { users.append(try UserRecord(user)) }
      for (position, identifier) in zip(part.indices, part)
      where !users.contains(where: identifier.names) {
        found.notFound.append(position)
      }
      found.users += users.filter { seen.insert(ExactString($0.uid)).inserted }
    }
    return found
  }

  static func lookup(_ identifiers: ArraySlice<UserIdentifier>) -> JSONObject {
    var lists: [String: [JSON]] = [:]
    for identifier in identifiers {
      switch identifier {
      case .uid(let uid): lists["localId", default: []].append(.string(uid))
      case .email(let email): lists["email", default: []].append(.string(email))
      case .phoneNumber(let number): lists["phoneNumber", default: []].append(.string(number))
      case .provider(let id, let uid):
        lists["federatedUserId", default: []].append([
          "providerId": .string(id), "rawId": .string(uid),
        ])
      }
    }
    return JSONObject(lists.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value)) })
  }
}
