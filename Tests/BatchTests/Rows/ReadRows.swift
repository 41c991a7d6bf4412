@testable import System

@testable import Batch

/// All rows of an input in a form that is easy to compare: `LINE: {…}` or `LINE! message`.
func read(_ input: RowInput) throws -> [String] {
  let reader = try input.open()
  var lines: [String] = []
  while let row = try reader.next() {
    guard row.number == lines.count + 1 else { return ["a row has the number \(row.number)"] }
    switch row.fields {
    case .success(let object): lines.append("\(row.line): \(JSON.object(object).encoded())")
    case .failure(let fault):
      lines.append("\(row.line)! \(fault.message)")
      if fault.code != "malformedRow" { lines.append(fault.code) }
    }
  }
  return lines
}
