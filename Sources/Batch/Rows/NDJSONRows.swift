import Encoding

/// Rows that are JSON objects, one in each line; empty lines are no rows.
final class NDJSONRows: RowReader {
  let columns: [String] = []
  private let lines: LineReader
  private var number: Int64 = 0

  /// Reads from what the window has not dropped.
  init(_ window: ByteWindow, limit: Int = RowLimits.mostBytes) {
    lines = LineReader(window, limit: limit)
  }

  func next() throws(BatchProblem) -> InputRow? {
    while let line = try lines.next() {
      let fields: Result<JSONObject, RowFault>
      switch line {
      case .tooLong: fields = .failure(RowLimits.tooLong)
      case .text(let text):
        // Without the line's end, at which a position would be on the next line.
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
  /// Reads a row, and says what is wrong with it in the words of the function.
  static func row(
    _ text: UnsafeBufferPointer<UInt8>, wrong: (JSONError) -> String
  ) -> Result<JSONObject, RowFault> {
    do throws(JSONError) {
      // Which of two values was meant, nobody knows (RFC 8259, section 4).
      let json = try JSON.parse(
        Array(text), maximumDepth: RowLimits.mostDepth, refusesDuplicates: true)
      guard let object = json.object else {
        return .failure(RowFault(RowLimits.malformed, "it is no JSON object"))
      }
      return .success(object)
    } catch {
      return .failure(RowFault(RowLimits.malformed, wrong(error)))
    }
  }
}
