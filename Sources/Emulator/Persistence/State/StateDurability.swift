internal import Journal

/// What an acknowledged change survives.
public enum StateDurability: String, Sendable, CaseIterable {
  /// The death of the process, `kill -9` included.
  case processDeath
  /// Power loss too: every answer waits until the disk has what it speaks of.
  case powerLoss

  var journal: Durability {
    switch self {
    case .processDeath: .processDeath
    case .powerLoss: .powerLoss
    }
  }
}
