public import Encoding

/// The accounts of one tenant in an export.
public struct ExportedTenant: Sendable, Equatable {
  /// The tenant's id, which is part of its file's name.
  public var id: String
  /// The accounts as `accounts:batchGet` answers them.
  public var users: [JSON]

  /// Names a tenant and its accounts.
  public init(id: String, users: [JSON]) {
    self.id = id
    self.users = users
  }
}
