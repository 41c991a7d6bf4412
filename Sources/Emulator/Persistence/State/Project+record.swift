internal import System
internal import OIDC

extension Project {
  /// The project's differences from the state at the emulator's start.
  func record(in recorder: StateRecorder) -> JSONObject {
    var record = JSONObject()
    let changes = configuration.changes(since: context.initialConfiguration)
    if !changes.isEmpty { record["changes"] = .object(changes) }
    if let passwordHashingInUse { record["hashing"] = .object(passwordHashingInUse.wire) }
    return record
  }

  /// Restores the settings of an earlier run; returns false when the record is malformed.
  func restore(_ record: JSONObject) -> Bool {
    if let changes = record["changes"] {
      guard let object = changes.object,
        let changed = configuration.applying(object)
      else { return false }
      restore(configuration: changed)
    }
    if let hashing = record["hashing"] {
      guard let object = hashing.object, let scrypt = try? FirebaseScrypt(wire: object) else {
        return false
      }
      restore(passwordHashing: scrypt)
    }
    return true
  }
}
