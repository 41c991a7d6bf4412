/// A library of the system that luath stands on, as it was loaded into this process.
public struct SystemLibrary: Sendable {
  /// What its makers call it, such as libcurl.
  public let name: String
  /// Its version as the loaded library tells it, such as 7.88.1; nil for a library that tells none.
  public let version: String?
  /// The version of the headers that luath was compiled with; nil where those tell none.
  public let headerVersion: String?
  /// What else is worth knowing of it in a few words: the TLS library behind it, the file it came from.
  public let note: String?

  /// Describes a library.
  public init(_ name: String, _ version: String?, headers: String? = nil, note: String? = nil) {
    self.name = name
    self.version = version
    headerVersion = headers
    self.note = note
  }

  /// Whether an older library was loaded than the one luath was compiled for.
  public var isOlderThanHeaders: Bool {
    guard let version, let headerVersion else { return false }
    return Self.numbers(version).lexicographicallyPrecedes(Self.numbers(headerVersion))
  }

  /// The numbers at the beginning: 3, 0 and 17 of `3.0.17+git`.
  private static func numbers(_ version: String) -> [Int] {
    version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
  }
}
