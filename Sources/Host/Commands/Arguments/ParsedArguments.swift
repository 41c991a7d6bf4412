import System
import Lua

/// A command line parsed into options and operands.
public struct ParsedArguments: Sendable {
  public var values: [String: String] = [:]
  /// All values of each option; `values` has only the last one.
  public var lists: [String: [String]] = [:]
  public var flags: Set<String> = []
  public var operands: [String] = []
  /// The arguments of the script, if the command takes a script.
  public var scriptArguments: [String] = []

  /// Parses arguments by the GNU rules: `--name value`, `--name=value`, `--`.
  public init(_ arguments: [String], _ command: CommandDescription) throws(UsageError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      let isEnd = argument == "--"
      if isEnd || argument.count < 2 || !argument.hasPrefix("-") {
        if !isEnd { operands.append(argument) }
        if command.passesArguments {
          // Before the script, `--` only ends the options.
          if isEnd, let script = remaining.popFirst() { operands.append(script) }
          if !isEnd { try refuseOptions(among: remaining, command) }
          scriptArguments = Array(remaining.first == "--" ? remaining.dropFirst() : remaining)
          return
        }
        guard isEnd else { continue }
        operands += remaining
        return
      }
      if Self.isHelp(argument) {
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
        // For a file with the name of an option, the user can write "=".
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

  /// Throws if options of the command are among the script's arguments, unless `--` is before them.
  ///
  /// Otherwise `luath run FILE --trace` would silently run without a trace.
  private func refuseOptions(
    among arguments: ArraySlice<String>, _ command: CommandDescription
  ) throws(UsageError) {
    let option = arguments.prefix { $0 != "--" }.first {
      command.option(spelled: $0) != nil || Self.isHelp($0)
    }
    guard let option else { return }
    let name = option.split(separator: "=").first.map(String.init) ?? option
    let script = ShellWord.quoted(operands.first ?? "FILE")
    let line = ["luath", command.name, script, "--"] + arguments.map(ShellWord.quoted)
    throw UsageError(
      "\(name.printable) stands after \(script), where the arguments of the script are",
      hint: "for luath, write it before \(script); for the script, write -- before its arguments: "
        + line.joined(separator: " "))
  }

  private static func isHelp(_ argument: String) -> Bool {
    argument == "-h" || argument == "--help"
  }

  /// The values of a list option, which may be given several times, separated by commas, or both.
  public func list(_ name: String) -> [String] {
    (lists[name] ?? []).flatMap(Self.items)
  }

  /// The comma-separated items of a text, including empty ones.
  public static func items(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}

/// An invalid command line.
public struct UsageError: Error {
  public let message: String
  /// The given value, with a mark under the error.
  let excerpt: String
  /// What to do; nil to refer to the help.
  public let hint: String?

  public init(_ message: String, excerpt: String = "", hint: String? = nil) {
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
