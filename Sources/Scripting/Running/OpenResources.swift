/// What a script has opened outside of Lua, such as browsers: ended with the script at the latest.
///
/// Used on the loop's thread only.
final class OpenResources {
  /// Ends one resource; must not wait for what a cancelled task cannot do.
  typealias End = () async -> Void

  private var ends: [Int: End] = [:]
  /// What outlasts the journey that opened it.
  private var kept: Set<Int> = []
  /// Above zero while what is opened outlasts the journey at hand.
  var keeping = 0
  private var count = 0
  private var ending: [Int: Task<Void, Never>] = [:]

  /// Takes note of something open, and gives the number to end it by.
  func add(_ end: @escaping End) -> Int {
    count += 1
    ends[count] = end
    if keeping > 0 { kept.insert(count) }
    return count
  }

  /// Begins to end what has the number, unless that was done already.
  func beginEnd(_ number: Int, _ interpreter: Interpreter) {
    guard let end = ends.removeValue(forKey: number) else { return }
    kept.remove(number)
    ending[number] = interpreter.start { [self] in
      await end()
      ending[number] = nil
    }
  }

  /// Ends what has the number and waits for it.
  func end(_ number: Int, _ interpreter: Interpreter) async {
    beginEnd(number, interpreter)
    await ending[number]?.value
  }

  /// Ends everything side by side, or all but what outlasts a journey.
  func endAll(_ interpreter: Interpreter, butKept: Bool = false) async {
    if butKept { keeping = 0 }
    for number in ends.keys.sorted(by: >) where !butKept || !kept.contains(number) {
      beginEnd(number, interpreter)
    }
    for task in Array(ending.values) { await task.value }
  }
}
