import Encoding
import Lua

/// A command line taken apart: options, operands, and what follows `--`.
struct ParsedArguments {
  var values: [String: String] = [:]
  /// All values of options that were given more than once; `values` has the last of them.
  var lists: [String: [String]] = [:]
  var flags: Set<String> = []
  var operands: [String] = []
  var rest: [String] = []

  /// Takes arguments apart by the GNU rules: `--name value`, `--name=value`, `--`.
  ///
  /// - Parameter passesOperands: Whether everything after the first operand belongs to it.
  init(
    _ arguments: [String], _ command: CommandDescription, passesOperands: Bool = false
  ) throws(UsageError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      if argument == "--" {
        // Before the script, it only says that no option follows.
        if passesOperands, let operand = remaining.popFirst() {
          operands.append(operand)
          if remaining.first == "--" { remaining.removeFirst() }
        }
        rest += remaining
        return
      }
      guard argument.hasPrefix("-"), argument.count > 1 else {
        operands.append(argument)
        guard passesOperands else { continue }
        if remaining.first == "--" { remaining.removeFirst() }
        rest += remaining
        return
      }
      if argument == "-h" || argument == "--help" {
        flags.insert("help")
        continue
      }
      var argument = argument
      let letter = argument.count == 2 ? argument.last : nil
      if let letter, let option = command.options.first(where: { $0.letter == letter }) {
        argument = "--\(option.name)"
      }
      guard argument.hasPrefix("--") else { throw .unknown(argument, command) }
      let pair = argument.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(pair[0])
      guard let option = command.options.first(where: { $0.name == name }) else {
        throw .unknown("--\(name)", command)
      }
      if option.isValueOptional, pair.count == 1,
        option.isValueAttached || remaining.first?.hasPrefix("-") ?? true
      {
        flags.insert(name)
      } else if let value = option.value {
        guard let given = pair.count == 2 ? String(pair[1]) : remaining.popFirst() else {
          throw UsageError("--\(name) needs a value: --\(name) \(value)")
        }
        // A file of that name can still be given with "=".
        guard pair.count == 2 || !command.options.contains(where: { "--\($0.name)" == given })
        else {
          throw UsageError("--\(name) needs a value before \(given): --\(name) \(value)")
        }
        guard values[name] == nil || option.isRepeatable else {
          throw UsageError(
            "--\(name) is given twice", hint: "it takes one value; leave one of both out")
        }
        values[name] = given
        lists[name, default: []].append(given)
      } else if pair.count == 2 {
        throw UsageError("--\(name) takes no value")
      } else {
        flags.insert(name)
      }
    }
  }
}

/// A command line that makes no sense.
struct UsageError: Error {
  let message: String
  /// The value that was given, with a mark under what is wrong with it.
  let excerpt: String
  /// What to do, if there is something better than to look at the help.
  let hint: String?

  init(_ message: String, excerpt: String = "", hint: String? = nil) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
  }

  static func unknown(_ option: String, _ command: CommandDescription) -> UsageError {
    let names = command.options.map { "--\($0.name)" } + ["--help"]
    let advice = nearestName(to: option, among: names).map { "; did you mean \($0)?" } ?? ""
    return UsageError("luath \(command.name) has no option \(option)\(advice)")
  }
}
