public import Emulator
import HTTP
public import SignIn
import System

/// The options that choose the target of a command.
public enum TargetOptions {
  /// The options that the command line accepts.
  public static let options = options()

  /// The options, with other words about targets.
  ///
  /// - Parameter named: what the target may be.
  /// - Parameter absent: what holds without `--target`.
  public static func options(
    named: String =
      "where to run: emulator (a new one in this process), emulator:HOST:PORT (a running one), firebase (a "
      + "real project), or a target of luath.lua",
    withoutTarget absent: String = "FIREBASE_AUTH_EMULATOR_HOST, or else emulator"
  ) -> [Option] {
    [
      Option("target", "NAME", named, default: absent),
      Option(
        "config", "FILE",
        "the configuration of an app, for the target firebase: GoogleService-Info.plist, "
          + "google-services.json or firebaseConfig", default: "such a file beside luath.lua"),
      Option(
        "project", "FILE", "the project file",
        default: "the nearest luath.lua, from the folder of the script up"),
    ]
  }
}

/// Parses option values that are quantities.
public enum Quantity {
  /// A duration: `1.5`, `500ms`, `2s`, `5m`, `1h`; in seconds without a unit.
  public static func time(_ text: String, _ option: String) throws(UsageError) -> Duration {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      let digits = text.dropLast(unit.count)
      guard let number = Double(digits), number.isFinite, number > 0, number * factor <= 31_536_000
      else { continue }
      return .microseconds(Int64(number * factor * 1e6))
    }
    throw UsageError("\(option) takes a time such as 500ms, 2s or 5m, not '\(text)'")
  }

  /// A memory size of at least 64 KiB: `65536`, `64K`, `32M`, `1G`; units are powers of 1024.
  public static func bytes(_ text: String, _ option: String) throws(UsageError) -> Int {
    let units: [(String, Int)] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)]
    for (unit, factor) in units where text.uppercased().hasSuffix(unit) {
      guard let number = Int(text.dropLast(unit.count)), number > 0, number < 1 << 30 else {
        continue
      }
      let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
      if !overflow, bytes >= 64 << 10 { return bytes }
    }
    throw UsageError("\(option) takes an amount such as 32M or 1G, at least 64K, not '\(text)'")
  }

  /// A number in a range; nil if the option is not given.
  public static func count(
    _ text: String?, _ option: String, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'")
    }
    return number
  }

  /// A TCP port; 0 for any free one.
  public static func port(_ text: String, _ option: String) throws(UsageError) -> UInt16 {
    guard let port = UInt16(text) else {
      throw UsageError("\(option) takes a port between 0 and 65535, not '\(text)'")
    }
    return port
  }
}

/// The options for browsers, and for keeping pages of sign-ins.
public enum BrowserOption {
  /// The options that the command line accepts.
  public static let options = [
    Option(
      "pages", "FOLDER", "save the pages of sign-ins there, with secrets masked",
      default: "no page is saved"),
    Option(
      "webdriver", "URL", "drive browsers by this WebDriver server, such as http://127.0.0.1:9515",
      default: "luath starts chromedriver"),
    Option("headed", nil, "show the windows of the browsers that scripts drive"),
  ]

  /// The default browser options of scripts.
  public static func browser(_ arguments: ParsedArguments) throws(UsageError) -> BrowserOptions {
    var options = BrowserOptions()
    options.isHeadless = !arguments.flags.contains("headed")
    if let address = arguments.values["webdriver"] {
      guard let url = WebURL(address) else {
        throw UsageError("--webdriver takes an address, such as http://127.0.0.1:9515")
      }
      options.driverURL = url
    }
    return options
  }

  /// The recorder of sign-in pages; nil without `--pages`.
  public static func pages(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> SignInTrace? {
    guard let folder = arguments.values["pages"] else { return nil }
    if folder.isEmpty { throw UsageError("--pages takes the folder for the pages") }
    return SignInTrace(folder: console.whole(folder)) { console.warn($0, hint: $1) }
  }
}

enum FaultOption {
  static let option = Option(
    "fault", "FAULTS",
    "faults of the emulator, separated by commas: latency=200ms, 503=5%, signUp:QUOTA_EXCEEDED=10%, drop=1%",
    default: "none", isRepeatable: true)
  static let seed = Option(
    "seed", "NUMBER", "the seed for the probabilities of --fault", default: "0")

  static func plan(
    _ arguments: ParsedArguments, seed name: String
  ) throws(UsageError) -> FaultPlan {
    let text = arguments.values[name] ?? "0"
    guard let seed = UInt64(text) else {
      throw UsageError("--\(name) takes a whole number from 0, not '\(text)'")
    }
    guard let words = arguments.lists["fault"]?.joined(separator: ",") else {
      var plan = FaultPlan()
      plan.seed = seed
      return plan
    }
    do throws(ConfigurationError) {
      return try FaultPlan(words: words, seed: seed)
    } catch {
      throw UsageError("--fault: \(error.message); use \(error.hint ?? "OPERATION:WHAT=VALUE")")
    }
  }
}

/// Parses `--host`, the address to listen on.
public enum HostOption {
  /// The IP address; resolves `localhost` and removes the brackets of an IPv6 address.
  public static func address(_ text: String) -> String {
    switch text.lowercased() {
    case "localhost": return "127.0.0.1"
    // An IPv6 address in the form of URLs.
    case let text where text.hasPrefix("[") && text.hasSuffix("]"):
      return String(text.dropFirst().dropLast())
    default: return text
    }
  }

  /// Whether only this machine can connect to the address.
  public static func isLoopback(_ address: String) -> Bool {
    let host = address.contains(":") ? "[\(address)]" : address
    return WebURL("http://\(host)/")?.isLoopback == true
  }

  /// Where the address to listen on comes from.
  public enum Source: Sendable {
    case option, firebaseFile
  }

  /// The warning for an emulator that other machines can reach.
  public static func warning(_ address: String, source: Source = .option) -> String {
    let advice =
      switch source {
      case .option: "leave out --host"
      case .firebaseFile: "use --host 127.0.0.1, or change emulators.auth.host in firebase.json,"
      }
    return "luath: warning: on \(address.printable) other machines can reach the emulator\n"
      + "  hint: everyone who reaches it can read and change every account; \(advice) to keep it on this machine\n"
  }
}

/// Parses `--allow-origin` and `--allow-server`, the origins that the user trusts.
public enum OriginOption {
  /// The values of an option, separated by commas; throws for values that are not origins.
  public static func list(_ name: String, _ arguments: ParsedArguments) throws(UsageError)
    -> OriginList
  {
    var list = OriginList()
    for text in arguments.lists[name] ?? [] {
      do throws(Problem) { try list.add(text) } catch {
        throw UsageError("--\(name): \(error.message)", hint: error.hint)
      }
    }
    return list
  }
}

/// Parses `--rules`: the name of a rule set, then `+RULE` or `-RULE` to switch single rules on or off.
public enum RulesOption {
  /// The names of all rules.
  public static var names: [String] { Rule.allCases.map(\.name) }

  /// Parses rules separated by commas; throws for unknown names.
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
