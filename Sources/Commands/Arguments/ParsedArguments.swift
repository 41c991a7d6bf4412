import Encoding
import Lua
import Scripting

/// A command line taken apart into options and operands.
struct ParsedArguments {
  var values: [String: String] = [:]
  /// All values of options that were given more than once; `values` has the last of them.
  var lists: [String: [String]] = [:]
  var flags: Set<String> = []
  var operands: [String] = []
  /// The arguments of the script, for a command that passes arguments on.
  var scriptArguments: [String] = []

  /// Takes arguments apart by the GNU rules: `--name value`, `--name=value`, `--`.
  init(_ arguments: [String], _ command: CommandDescription) throws(UsageError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      let isEnd = argument == "--"
      if isEnd || argument.count < 2 || !argument.hasPrefix("-") {
        if !isEnd { operands.append(argument) }
        if command.passesArguments {
          // Before the script, `--` only means that no option follows.
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

  /// Refuses options of the command that stand among the script's arguments, unless `--` stands before them.
  ///
  /// Passed on without a message, `luath run FILE --trace` would be a run without a trace.
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

  /// The values of an option that takes a list: given more than once, separated by commas, or both.
  func list(_ name: String) -> [String] {
    (lists[name] ?? []).flatMap(Self.items)
  }

  /// The items of a text that are separated by commas, empty ones too.
  static func items(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
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
