internal import Encoding
internal import Synchronization

/// Takes the secrets of a run out of whatever is about to be shown, by their values.
///
/// It finds a secret in any text, alone or inside other words, as it is, percent-encoded in part or whole,
/// as a JSON string, in HTML and in both alphabets of base 64, also over several lines; and whatever looks
/// like a JWT, though nobody named it.
/// It keeps no secret, only hashes. The time for a text does not grow with the number of secrets.
public final class SecretBook: Sendable {
  /// Shorter values would be found in every other word; they are masked by the names of fields only.
  public static let shortest = 4

  private struct State {
    var marked = SpellingIndex()
    var young = SpellingIndex()
    var old = SpellingIndex()
  }

  private let state = Mutex(State())
  private let generation: Int

  /// A book without secrets.
  ///
  /// - Parameter generation: Above this many spellings the older half of them is forgotten, but for
  ///   marked ones: a run may last for hours, and its first tokens are long expired then.
  public init(generation: Int = 400_000) { self.generation = generation }

  /// Remembers secrets.
  ///
  /// - Parameter marked: whether they are never forgotten, as those that a person named.
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
        state.young = SpellingIndex()
      }
    }
  }

  /// The text with a mask in the place of each secret.
  ///
  /// - Parameter keepsTokens: Whether tokens stay, for who takes the text apart and shows what they say.
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

  /// Also inside of tokens, as a token's own bytes can end a run early.
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
      // What overlaps the one before is hidden by its mask already.
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
