import Encoding
import OIDC

/// Turns what a journal holds of accounts into bytes and back, encrypted when there is a key.
///
/// An encrypted value is bound to its place, so that nobody who can write the journal can put the image of
/// one account where that of another was.
struct JournalCodec: Sendable {
  /// What is encrypted, by the names of the columns.
  enum Column: String {
    case planned, change, before
  }

  /// What a key is known by: this text, encrypted.
  private static let checkText = Array("luath batch journal".utf8)

  let key: JournalKey?

  /// The bytes for a value of a row, or of one of its steps.
  func encode(_ json: JSON, _ column: Column, of row: RowKey, step: Int = 0) -> [UInt8] {
    let text = json.encodedBytes()
    guard let key else { return text }
    return key.cipher.seal(text, bound: Self.place(column.rawValue, row, step))
  }

  /// The value of these bytes; nil when they are not what was written there.
  func decode(_ bytes: [UInt8], _ column: Column, of row: RowKey, step: Int = 0) -> JSON? {
    guard let key else { return try? JSON.parse(bytes) }
    let place = Self.place(column.rawValue, row, step)
    return key.cipher.open(bytes, bound: place).flatMap { try? JSON.parse($0) }
  }

  /// What a journal keeps to know its key again; none without a key.
  var check: [UInt8]? {
    key?.cipher.seal(Self.checkText, bound: Array("key".utf8))
  }

  /// Refuses a key that is not the one of the journal, a missing one and one too many.
  func verify(_ check: [UInt8]?, journal: String) throws(BatchProblem) {
    switch (key, check) {
    case (nil, nil): return
    case (nil, _):
      throw BatchProblem(
        .usage, "\(journal) is encrypted", hint: "give its key: --journal-key FILE")
    case (_, nil):
      throw BatchProblem(
        .usage, "\(journal) is not encrypted, and a key was given",
        hint: "leave --journal-key out; a journal is encrypted from its beginning or not at all")
    case (let key?, let check?):
      guard key.cipher.open(check, bound: Array("key".utf8)) == Self.checkText else {
        throw BatchProblem(
          .usage, "the key is not the one that \(journal) was encrypted with",
          hint: "give the key of its first run: --journal-key FILE")
      }
    }
  }

  private static func place(_ column: String, _ row: RowKey, _ step: Int) -> [UInt8] {
    Array("\(row.run)|\(row.number)|\(step)|\(column)".utf8)
  }
}
