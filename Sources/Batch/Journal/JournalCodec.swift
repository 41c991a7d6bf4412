import System
import OIDC

/// Encodes journal values as bytes and decodes them, encrypted if there is a key.
///
/// An encrypted value is bound to its row, step and column, so that a writer without the key cannot swap the images
/// of two accounts.
struct JournalCodec: Sendable {
  /// The encrypted columns, by name.
  enum Column: String {
    case planned, change, before
  }

  /// The text whose encryption identifies the key.
  private static let checkText = Array("luath batch journal".utf8)

  let key: JournalKey?

  /// Encodes a value of a row, or of one of its steps.
  func encode(_ json: JSON, _ column: Column, of row: RowKey, step: Int = 0) -> [UInt8] {
    let text = json.encodedBytes()
    guard let key else { return text }
    return key.cipher.seal(text, bound: Self.place(column.rawValue, row, step))
  }

  /// Decodes a value; nil if the bytes are not the ones written in this place.
  func decode(_ bytes: [UInt8], _ column: Column, of row: RowKey, step: Int = 0) -> JSON? {
    guard let key else { return try? JSON.parse(bytes) }
    let place = Self.place(column.rawValue, row, step)
    return key.cipher.open(bytes, bound: place).flatMap { try? JSON.parse($0) }
  }

  /// The value that a journal stores to identify its key; nil without a key.
  var check: [UInt8]? {
    key?.cipher.seal(Self.checkText, bound: Array("key".utf8))
  }

  /// Throws if the key is wrong, missing, or given for an unencrypted journal.
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
