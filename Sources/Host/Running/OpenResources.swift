/// Resources of a script outside of Lua, such as browsers; closed at the latest when the script ends.
///
/// Used on the loop's thread only.
final class OpenResources {
  /// Closes one resource; must also work in a cancelled task.
  typealias End = () async -> Void

  private var ends: [Int: End] = [:]
  /// Resources that outlast the journey that opened them.
  private var kept: Set<Int> = []
  /// Above zero while new resources outlast the current journey.
  var keeping = 0
  private var count = 0
  private var ending: [Int: Task<Void, Never>] = [:]

  /// Adds an open resource and returns the number with which to close it.
  func add(_ end: @escaping End) -> Int {
    count += 1
    ends[count] = end
    if keeping > 0 { kept.insert(count) }
    return count
  }

  /// Starts to close a resource, unless that has already started.
  func beginEnd(_ number: Int, _ interpreter: Interpreter) {
    guard let end = ends.removeValue(forKey: number) else { return }
    kept.remove(number)
    ending[number] = interpreter.start { [self] in
      await end()
      ending[number] = nil
    }
  }

  func end(_ number: Int, _ interpreter: Interpreter) async {
    beginEnd(number, interpreter)
    await ending[number]?.value
  }

  /// Closes all resources concurrently; `butKept` spares those that outlast a journey.
  func endAll(_ interpreter: Interpreter, butKept: Bool = false) async {
    if butKept { keeping = 0 }
    for number in ends.keys.sorted(by: >) where !butKept || !kept.contains(number) {
      beginEnd(number, interpreter)
    }
    for task in Array(ending.values) { await task.value }
  }
}
