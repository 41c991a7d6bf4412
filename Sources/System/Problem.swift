/// An error with a hint.
///
/// For failures that callers need not distinguish; otherwise use an error type with codes.
public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened, in lower case and without a period.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  /// Creates an error from what happened and what to do.
  public init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// The message followed by the hint.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}

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

/// Returns the known name closest to a misspelled one, if it is close enough to suggest.
///
/// The distance is the restricted Damerau-Levenshtein distance over bytes: swapping two neighbors counts as one
/// edit. Case is ignored. Up to a third of the letters may be wrong, or the end of the name missing.
public func nearestName(to wanted: String, among names: [String]) -> String? {
  let lowered = Array(wanted.lowercased().utf8.prefix(64))
  let limit = lowered.count < 4 ? 1 : max(2, lowered.count / 3)
  var best: (name: String, distance: Int)?
  for name in names {
    let distance = editDistance(lowered, Array(name.lowercased().utf8.prefix(64)))
    // Of a short word two other letters make another word, unless it begins in the same way.
    let isOther = lowered.count < 6 && distance > 1 && name.lowercased().utf8.first != lowered.first
    if !isOther, distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
  }
  if let best { return best.name }
  guard lowered.count >= 4 else { return nil }
  return names.first { $0.lowercased().utf8.starts(with: lowered) }
}

private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        cost = min(cost, beforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
