import IdentityToolkit
import System

/// The values in those columns of a CSV text (RFC 4180) whose names are names of secrets.
struct SecretColumns {
  private(set) var fields: [SecretMasker.Field] = []
  private let bytes: [UInt8]
  private let separator: UInt8

  /// Reads a text whose first line has the names; columns are separated by commas, semicolons or tabs.
  init(_ text: String) {
    bytes = Array(text.utf8)
    let head = bytes.prefix { $0 != 0x0A }
    separator =
      [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
      .max { one, other in head.count { $0 == one } < head.count { $0 == other } } ?? 0x2C
    var position = 0
    let names = record(at: &position).map { String(decoding: bytes[$0], as: UTF8.self) }
    let secret = names.indices.filter { SecretNames.holdSecrets(Self.plain(names[$0])) }
    guard !secret.isEmpty else { return }
    while position < bytes.count {
      let record = record(at: &position)
      for column in secret where column < record.count && !record[column].isEmpty {
        let value = String(decoding: bytes[record[column]], as: UTF8.self)
        fields.append((record[column], value, SecretNames.kind(of: Self.plain(names[column]))))
      }
    }
  }

  private static func plain(_ name: String) -> String {
    String(name.filter { !$0.isWhitespace && $0 != "\u{FEFF}" })
  }

  /// Reads a record and its line end; the range of a field excludes its quotation marks.
  private func record(at position: inout Int) -> [Range<Int>] {
    var fields: [Range<Int>] = []
    while true {
      let quoted = quotedField(at: position)
      let start = position
      position = quoted.map { $0.upperBound + 1 } ?? position
      while position < bytes.count, bytes[position] != separator, bytes[position] != 0x0A {
        position += 1
      }
      let isCut = position > start && bytes[position - 1] == 0x0D
      fields.append(quoted ?? start..<(isCut ? position - 1 : position))
      guard position < bytes.count else { return fields }
      position += 1
      if bytes[position - 1] == 0x0A { return fields }
    }
  }

  /// Returns the content of a quoted field; nil for other fields, and for one without an end.
  private func quotedField(at start: Int) -> Range<Int>? {
    let quote = UInt8(ascii: "\"")
    guard start < bytes.count, bytes[start] == quote else { return nil }
    var end = start + 1
    while end < bytes.count {
      if bytes[end] != quote {
        end += 1
      } else if end + 1 < bytes.count, bytes[end + 1] == quote {
        end += 2
      } else {
        return start + 1..<end
      }
    }
    return nil
  }
}
