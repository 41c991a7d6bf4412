/// The version of luath.
public enum Version {
  /// The next release, or the release itself in the commit that is tagged `v` and this number.
  ///
  /// Nothing else in the repository has the number: `Tools/version` reads it here.
  public static let current = "0.2.0"
}
