public import Emulator

/// Parses `--rules`: the name of a rule set, then `+RULE` or `-RULE` to switch single rules on or off.
public enum RulesOption {
  public static var names: [String] { Rule.allCases.map(\.name) }

  public static func parse(_ text: String) throws(UsageError) -> Rules {
    let name = text.prefix { $0 != "+" && $0 != "-" }
    var rules: Rules
    switch name {
    case "compatible": rules = .compatible
    case "production": rules = .production
    default: throw UsageError("--rules: \(name) is neither compatible nor production")
    }
    var rest = text[name.endIndex...]
    while let sign = rest.first {
      let word = rest.dropFirst().prefix { $0 != "+" && $0 != "-" }
      guard !word.isEmpty else {
        throw UsageError("--rules: the name of a rule is missing after \(sign)")
      }
      guard let rule = Rule.allCases.first(where: { $0.name == word }) else {
        throw UsageError(
          "--rules: there is no rule \(word); there are "
            + Rule.allCases.map(\.name).joined(separator: ", "))
      }
      rules[rule] = sign == "+"
      rest = rest[word.endIndex...]
    }
    return rules
  }
}
