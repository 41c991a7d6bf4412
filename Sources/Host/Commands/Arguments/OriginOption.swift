import System
public import Emulator

/// Parses `--allow-origin` and `--allow-server`, the origins that the user trusts.
public enum OriginOption {
  public static func list(_ name: String, _ arguments: ParsedArguments) throws(UsageError) -> OriginList {
    var list = OriginList()
    for text in arguments.lists[name] ?? [] {
      do throws(Problem) { try list.add(text) } catch {
        throw UsageError("--\(name): \(error.message)", hint: error.hint)
      }
    }
    return list
  }
}
