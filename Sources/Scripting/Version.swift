/// The version of luath.
public enum Version {
  /// The version in the output of `luath --version`.
  public static let current = "0.1.0"
}
