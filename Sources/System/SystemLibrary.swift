/// A system library that luath uses, as loaded into this process.
public struct SystemLibrary: Sendable {
  /// The library's own name, such as libcurl.
  public let name: String
  /// The version of the loaded library, such as 7.88.1, if it reports one.
  public let version: String?
  /// The version of the headers that luath was compiled with, if they have one.
  public let headerVersion: String?
  /// A short note, such as the TLS library it uses or the file it was loaded from.
  public let note: String?

  /// Creates a description of a library.
  public init(_ name: String, _ version: String?, headers: String? = nil, note: String? = nil) {
    self.name = name
    self.version = version
    headerVersion = headers
    self.note = note
  }

  /// Whether the loaded library is older than the headers luath was compiled with.
  public var isOlderThanHeaders: Bool {
    guard let version, let headerVersion else { return false }
    return Self.numbers(version).lexicographicallyPrecedes(Self.numbers(headerVersion))
  }

  /// Returns the leading numbers: 3, 0 and 17 of `3.0.17+git`.
  private static func numbers(_ version: String) -> [Int] {
    version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
  }
}
