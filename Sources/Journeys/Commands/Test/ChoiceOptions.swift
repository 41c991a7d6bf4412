import System
import Host

/// The options that select journeys and their order.
struct ChoiceOptions {
  static let options = [
    Option(
      "select", "EXPRESSION",
      "journeys by tags and names: \"merge and not (slow or '*browser*')\"; #TAG is only a tag"),
    Option("name", "TEXT", "journeys with this in their name; with * or ? a pattern for all of it"),
    Option("last-failed", nil, "journeys that failed when they ran last"),
    Option("shard", "I/N", "the I-th of N parts that take about the same time"),
    Option(
      "shuffle", "SEED", "files and journeys in an order of chance, by this seed if there is one",
      isValueAttached: true),
    Option("repeat", "N", "run each journey N times"),
    Option("forbid-only", nil, "refuse to run when a journey is marked only"),
    Option(
      "record", "FILE", "keep failures and durations there; .luath/tests.json when not given"),
    Option("list", nil, "show the journeys that would run, and run none"),
  ]

  var choice = JourneyChoice()
  let record: RecordFile
  let wantsLastFailed: Bool
  let forbidsOnly: Bool
  let isList: Bool

  init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    wantsLastFailed = arguments.flags.contains("last-failed")
    forbidsOnly = arguments.flags.contains("forbid-only")
    isList = arguments.flags.contains("list")
    if arguments.values["record"] == "" { throw UsageError("--record wants a file") }
    record =
      arguments.values["record"].map { RecordFile(path: console.whole($0)) }
      ?? RecordFile(workingFolder: console.folder)
    if let text = arguments.values["select"] {
      do throws(SelectionError) {
        choice.expression = try SelectionExpression(text)
      } catch {
        throw UsageError(
          "--select: \(error.message.printable)", excerpt: error.excerpt, hint: error.hint)
      }
    }
    choice.shuffleSeed = try Self.shuffleSeed(arguments)
    if arguments.values["name"] == "" { throw UsageError("--name wants a part of a name") }
    choice.name = arguments.values["name"].map(NameFilter.init)
    if let text = arguments.values["shard"] {
      do throws(Problem) {
        choice.shard = try Shard(text)
      } catch {
        throw UsageError("--shard: \(error.message.printable)", hint: error.hint)
      }
    }
    choice.repeats = try Quantity.count(arguments.values["repeat"], "--repeat", 1...100_000) ?? 1
  }

  private static func shuffleSeed(_ arguments: ParsedArguments) throws(UsageError) -> UInt64? {
    let isGiven = arguments.flags.contains("shuffle") || arguments.values["shuffle"] != nil
    return isGiven ? UInt64(try seed(arguments)) : nil
  }

  /// The seed for everything random; 0 if none is given.
  static func seed(_ arguments: ParsedArguments) throws(UsageError) -> Int64 {
    for name in ["shuffle", "seed"] {
      guard let text = arguments.values[name] else { continue }
      guard let seed = Int64(text), seed >= 0 else {
        throw UsageError("--\(name) takes a whole number from 0 to 2^63 - 1, not '\(text)'")
      }
      return seed
    }
    return 0
  }

  /// The arguments with a `--seed` for everything that reads it; random for `--shuffle` without a seed.
  static func seeded(_ arguments: ParsedArguments) throws(UsageError) -> ParsedArguments {
    var arguments = arguments
    if arguments.flags.contains("shuffle"), arguments.values["seed"] == nil {
      // Six digits are easy to type again.
      arguments.values["seed"] = String(Int64.random(in: 1...999_999))
    } else {
      arguments.values["seed"] = String(try seed(arguments))
    }
    return arguments
  }
}
