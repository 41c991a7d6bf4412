public import Encoding

/// A project's accounts and settings as an export folder holds them.
public struct ExportedProject: Sendable, Equatable {
  /// The accounts outside tenants, as `accounts:batchGet` answers them.
  public var users: [JSON]
  /// The tenants with their accounts.
  public var tenants: [ExportedTenant]
  /// The settings as the emulator's `config` address answers them; nil when the folder has none.
  public var config: JSON?
  /// What luath knows beyond that: secrets of second factors, how hashes were made, settings of tenants.
  public var further: JSON?

  /// Puts the parts of an export together.
  public init(users: [JSON], tenants: [ExportedTenant] = [], config: JSON?, further: JSON? = nil) {
    self.users = users
    self.tenants = tenants
    self.config = config
    self.further = further
  }
}
