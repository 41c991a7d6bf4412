public import System

/// The accounts of one tenant in an export.
public struct ExportedTenant: Sendable, Equatable {
  /// The tenant's id, which is part of the file name.
  public var id: String
  /// The accounts in the format of `accounts:batchGet`.
  public var users: [JSON]

  /// A tenant with these accounts.
  public init(id: String, users: [JSON]) {
    self.id = id
    self.users = users
  }
}
