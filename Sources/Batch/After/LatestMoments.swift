import System

/// The time when a part of an account was set, ordered by run, time, row and step.
struct Moment: Comparable, BitwiseCopyable {
  private let run: Int64
  /// The time in milliseconds since 1970.
  var at: Int64
  private let row: Int64
  var step: Int

  init(run: Int64, at: Int64, row: Int64, step: Int) {
    self.run = run
    self.at = at
    self.row = row
    self.step = step
  }

  static func < (one: Moment, other: Moment) -> Bool {
    (one.run, one.at, one.row, one.step) < (other.run, other.at, other.row, other.step)
  }
}

/// An index of when each part of each account was set, in a file to save memory.
final class LatestMoments {
  private var index: NumberIndex<Moment>

  init() throws(BatchProblem) {
    do throws(SystemFault) { index = try NumberIndex() } catch { throw Self.problem(error) }
  }

  func note(_ uid: String, _ facet: String, _ moment: Moment) throws(BatchProblem) {
    do throws(SystemFault) { try index.add(Self.number(uid, facet), moment) } catch {
      throw Self.problem(error)
    }
  }

  /// Ends adding; required before `isSet`.
  func finish() throws(BatchProblem) {
    do throws(SystemFault) { try index.finish() } catch { throw Self.problem(error) }
  }

  func isSet(_ uid: String, _ facet: String, after moment: Moment) -> Bool {
    index.values(of: Self.number(uid, facet)).contains { $0 > moment }
  }

  /// A hash of a part of an account; it differs between processes, because `Hasher` is seeded randomly.
  private static func number(_ uid: String, _ facet: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(ExactString(uid))
    hasher.combine(ExactString(facet))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func problem(_ fault: SystemFault) -> BatchProblem {
    BatchProblem(
      .unavailable, "an index of the changes cannot be written: \(fault.words)",
      hint: "set TMPDIR to a folder with room, about 50 bytes for each field that was changed")
  }
}
