import Emulator

enum FaultOption {
  static let summary =
    "what goes wrong: latency=200ms, 503=5%, signUp:QUOTA_EXCEEDED=10%, drop=1%; by commas"
  static let seed = Option(
    "seed", "NUMBER", "makes the chances of --fault repeat; 0 when not given")

  static func plan(_ arguments: ParsedArguments) throws(UsageError) -> FaultPlan {
    let text = arguments.values["seed"] ?? "0"
    guard let seed = UInt64(text) else {
      throw UsageError("--seed takes a whole number from 0 on, not '\(text)'")
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
