internal import Storage

/// The failures that an acknowledged change survives.
public enum StateDurability: String, Sendable, CaseIterable {
  /// A crash of the process, `kill -9` included.
  case processDeath
  /// Power loss too: each response waits until its changes are on the disk.
  case powerLoss

  var journal: Durability {
    switch self {
    case .processDeath: .processDeath
    case .powerLoss: .powerLoss
    }
  }
}
