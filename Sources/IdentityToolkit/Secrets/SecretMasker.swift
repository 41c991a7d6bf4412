internal import System
internal import Synchronization

/// Removes the secrets of a run from all output, by their values.
///
/// It finds a secret in any text, alone or inside other words. Recognized encodings are plain text,
/// partial or full percent-encoding, JSON strings, HTML, and both Base64 alphabets, also across
/// lines. It also finds all that looks like a JWT. It stores no secrets, only hashes. The time for
/// a text does not grow with the number of secrets.
public final class SecretMasker: Sendable {
  /// Shorter values would occur in many words; they are masked by field names only.
  static let shortest = 4

  private struct State {
    var marked = MultiPatternMatcher()
    var young = MultiPatternMatcher()
    var old = MultiPatternMatcher()
  }

  private let state = Mutex(State())
  private let generation: Int

  /// Creates an empty book.
  ///
  /// - Parameter generation: Above this many spellings the older half is dropped, except marked
  ///   ones: a run may last for hours, and its first tokens are long expired then.
  public init(generation: Int = 400_000) { self.generation = generation }

  /// Adds secrets.
  ///
  /// - Parameter marked: whether to keep them forever, for secrets that the user named.
  public func add(_ values: [String], marked: Bool = false) {
    state.withLock { state in
      for value in values where value.utf8.count >= Self.shortest {
        if marked {
          state.marked.add(value)
          continue
        }
        guard !state.marked.knows(value) else { continue }
        state.young.add(value)
        guard state.young.count > generation else { continue }
        state.old = state.young
        state.young = MultiPatternMatcher()
      }
    }
  }

  /// Replaces each secret in a text by a mask.
  ///
  /// - Parameter keepsTokens: Whether to keep JWTs, for callers that decode them.
  public func clean(
    _ text: String, mask: String = Redaction.mask, keepsTokens: Bool = false
  ) -> String {
    guard text.utf8.count >= Self.shortest else { return text }
    var text = text
    var ranges = text.withUTF8 { bytes in
      let tokens = TokenShape.ranges(in: bytes)
      var found = known(in: bytes)
      if let joined = JoinedLines(bytes) {
        found += joined.bytes.withUnsafeBufferPointer { bytes in
          (TokenShape.ranges(in: bytes) + known(in: bytes)).map(joined.inText)
        }
      }
      if let plain = UnescapedText(bytes) {
        found += plain.bytes.withUnsafeBufferPointer { known(in: $0).map(plain.inText) }
      }
      guard keepsTokens else { return tokens + found }
      return found.filter { range in !tokens.contains { $0.overlaps(range) } }
    }
    guard !ranges.isEmpty else { return text }
    ranges.sort { $0.lowerBound < $1.lowerBound }
    return Self.replacing(ranges, in: text, by: mask)
  }

  /// Searches inside of JWTs, too, because the bytes of a JWT may end its recognized range early.
  private func known(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    state.withLock { state in
      state.marked.ranges(in: bytes) + state.young.ranges(in: bytes)
        + state.old.ranges(in: bytes)
    }
  }

  private static func replacing(
    _ ranges: [Range<Int>], in text: String, by mask: String
  ) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var kept = 0
    for range in ranges where range.upperBound > kept {
      // If it overlaps the range before, the previous mask already hides its start.
      if range.lowerBound >= kept {
        result += bytes[kept..<range.lowerBound]
        result += Array(mask.utf8)
      }
      kept = range.upperBound
    }
    result += bytes[kept...]
    return String(decoding: result, as: UTF8.self)
  }
}
