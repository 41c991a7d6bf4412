import System

/// Reads rows that are JSON objects, one per line; empty lines are skipped.
final class NDJSONRows: RowReader {
  let columns: [String] = []
  private let lines: LineReader
  private var number: Int64 = 0

  /// Reads from the window's first remaining byte.
  init(_ window: ByteWindow, limit: Int = RowLimits.mostBytes) {
    lines = LineReader(window, limit: limit)
  }

  func next() throws(BatchProblem) -> InputRow? {
    while let line = try lines.next() {
      let fields: Result<JSONObject, RowFailure>
      switch line {
      case .tooLong: fields = .failure(RowLimits.tooLong)
      case .text(let text):
        // Without the line end, because an error position at the line end would be on the next line.
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { continue }
        fields = JSONObject.row(UnsafeBufferPointer(rebasing: text[...last])) {
          "\($0.message) (column \($0.column)); each line must be a whole JSON object"
        }
      }
      number += 1
      return InputRow(number: number, line: lines.number, fields: fields)
    }
    return nil
  }
}

extension JSONObject {
  /// Parses a row; `wrong` makes the message of a JSON error.
  static func row(
    _ text: UnsafeBufferPointer<UInt8>, wrong: (JSONError) -> String
  ) -> Result<JSONObject, RowFailure> {
    do throws(JSONError) {
      // Reject duplicate names: RFC 8259 section 4 does not define which of the values counts.
      let json = try JSON.parse(
        Array(text), maximumDepth: RowLimits.mostDepth, refusesDuplicates: true)
      guard let object = json.object else {
        return .failure(RowFailure(RowLimits.malformed, "it is no JSON object"))
      }
      return .success(object)
    } catch {
      return .failure(RowFailure(RowLimits.malformed, wrong(error)))
    }
  }
}
