/// Which failures an acknowledged commit survives.
///
/// In both cases the file stays consistent; only the last commits can be missing.
public enum Durability: Sendable, CaseIterable {
  /// The death of the process, including `kill -9`, because the operating system has the commit.
  ///
  /// A power loss or a crash of the operating system may undo the last commits, in order: those since the log was last
  /// copied into the database, which happens every thousand pages.
  case processDeath
  /// Also power loss: every commit waits until it is on disk.
  case powerLoss
}
