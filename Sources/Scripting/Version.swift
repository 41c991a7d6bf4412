/// The version of luath.
public enum Version {
  /// As `luath --version` prints it.
  public static let current = "0.1.0"
}
