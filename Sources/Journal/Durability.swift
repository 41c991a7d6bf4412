/// What an acknowledged commit survives.
///
/// In both cases the file stays whole, whatever happens: only its last commits can be missing.
public enum Durability: Sendable, CaseIterable {
  /// The death of the process, `kill -9` included: the operating system has the commit.
  ///
  /// A power loss or a crash of the operating system may undo the last commits, in order: those
  /// since the log was last copied into the database, which happens every thousand pages.
  case processDeath
  /// Power loss too: every commit waits until the disk has it.
  case powerLoss
}
