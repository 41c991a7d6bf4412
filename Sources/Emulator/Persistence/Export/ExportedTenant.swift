import System

/// The accounts of one tenant in an export.
struct ExportedTenant: Sendable, Equatable {
  /// The tenant's id, which is part of the file name.
  var id: String
  /// The accounts in the format of `accounts:batchGet`.
  var users: [JSON]
}
