import System

/// A project's accounts and settings, as in an export folder.
public struct ExportedProject: Sendable, Equatable {
  /// The accounts outside tenants, in the format of `accounts:batchGet`.
  var users: [JSON]
  /// The tenants with their accounts.
  var tenants: [ExportedTenant] = []
  /// The settings in the format of the emulator's `config` endpoint; nil when the folder has none.
  var config: JSON?
  /// Data that Firebase's format lacks: secrets of second factors, hash parameters, settings of tenants.
  var further: JSON?
}
