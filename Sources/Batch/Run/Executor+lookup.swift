import Client
import System
import HTTP
import IdentityToolkit

struct LookedUp: Sendable {
  var images = AccountImages()
  var fault: RowFailure?
  var isEnded = false
}

/// The accounts of a row, with the times of their lookups.
struct RowImages {
  private(set) var images = AccountImages()
  private var times: [ExactString: Duration] = [:]

  /// The accounts that were not looked up since a time.
  func missing(_ uids: [String], since moment: Duration) -> [String] {
    uids.filter { times[ExactString($0)].map { $0 < moment } ?? true }
  }

  mutating func take(_ uid: String, from found: AccountImages, at now: Duration) {
    images[uid] = found[uid]
    times[ExactString(uid)] = now
  }

  /// Marks a changed account for a new lookup.
  mutating func forget(_ uid: String) { times[ExactString(uid)] = nil }
}

/// Why work on a row stopped.
enum StepStop: Error {
  /// The run is ending; the row is released.
  case ended
  /// The row failed; its state is not recorded yet.
  case fault(RowFailure)
  /// A step failed, and the journal has recorded the step and the row.
  case failed(RowFailure)
}

extension Executor {
  /// How long a lookup waits for others to join it.
  private static let patience = Duration.milliseconds(2)

  /// Looks up the accounts that are unknown or too old.
  func refresh(
    _ images: inout RowImages, _ uids: [String], notBefore moment: Duration? = nil
  ) async throws(StepStop) {
    let missing = images.missing(uids, since: moment ?? (gate.now - settings.imageLifetime))
    guard !missing.isEmpty else { return }
    // Take the time before the request: the response may miss a change made meanwhile.
    let asked = gate.now
    let found = await look(up: missing)
    if found.isEnded { throw .ended }
    if let fault = found.fault { throw .fault(fault) }
    for uid in missing { images.take(uid, from: found.images, at: asked) }
  }

  /// Looks up accounts in one call with those that other rows need.
  private func look(up uids: [String]) async -> LookedUp {
    if let open = lookUp, open.fits(uids.count) { return await open.join(uids) }
    let own = Batcher<String, LookedUp>(uids, most: Admin.mostLookedUp)
    lookUp = own
    try? await loop.sleep(for: Self.patience)
    if lookUp === own { lookUp = nil }
    let found = await look(up: own.items[...])
    own.answer(found)
    return found
  }

  private func look(up uids: ArraySlice<String>) async -> LookedUp {
    var tries = Tries(most: settings.tries)
    let successes = gate.successes
    while true {
      guard await gate.sitOut() else { return LookedUp(isEnded: true) }
      do throws(AdminError) {
        let unique = Set(uids.map { ExactString($0) })
        let users = try await admin.lookUpWire(unique.map { .uid($0.string) }, repeats: false)
        gate.succeeded()
        var found = LookedUp()
        for user in users {
          if let uid = user["localId"]?.string { found.images[uid] = user }
        }
        return found
      } catch {
        let fault = FaultClass(error)
        note(fault)
        switch fault {
        case .run:
          fail(BatchProblem(error))
          return LookedUp(isEnded: true)
        case .row: return await divided(uids, error)
        case .throttled, .retryable:
          guard let wait = tries.next(chance: gate.chance()) else {
            if gate.successes == successes { fail(.silent(error.message, tries.failed)) }
            return LookedUp(fault: RowFailure(error), isEnded: gate.successes == successes)
          }
          guard await gate.rest(for: wait) else { return LookedUp(isEnded: true) }
        }
      }
    }
  }

  /// The account for the journal before the change; before a deletion or import, with its password hash if the
  /// backend shows it.
  func image(_ account: JSON?, before change: Change) async throws(StepStop) -> JSON? {
    switch change {
    case .create, .delete: break
    default: return account
    }
    guard let account, Admin.hidesHash(account) else { return account }
    var tries = Tries(most: settings.tries)
    while true {
      guard await gate.sitOut() else { throw .ended }
      do throws(AdminError) {
        let whole = try await admin.withHash(account)
        gate.succeeded()
        return whole
      } catch {
        let fault = FaultClass(error)
        note(fault)
        switch fault {
        // Ignore the error: the deletion itself will show whether the run can continue.
        case .run, .row: return account
        case .throttled, .retryable:
          guard let wait = tries.next(chance: gate.chance()) else {
            throw .fault(RowFailure(error))
          }
          guard await gate.rest(for: wait) else { throw .ended }
        }
      }
    }
  }

  /// Halves a rejected lookup to find the accounts that the backend rejects.
  private func divided(_ uids: ArraySlice<String>, _ error: AdminError) async -> LookedUp {
    // The backend rejects a malformed uid; it names no account.
    guard uids.count > 1 else { return LookedUp(fault: RowFailure(error)) }
    let middle = uids.startIndex + uids.count / 2
    var found = await look(up: uids[..<middle])
    let other = await look(up: uids[middle...])
    for uid in uids[middle...] { found.images[uid] = other.images[uid] }
    found.fault = found.fault ?? other.fault
    found.isEnded = found.isEnded || other.isEnded
    return found
  }

  /// Reports a throttled call to the rate limiter.
  func note(_ fault: FaultClass) {
    guard case .throttled(let asked) = fault else { return }
    gate.throttled(after: asked)
    hear(.throttled(rate: gate.pace.rate))
  }
}

extension RowFailure {
  init(_ error: AdminError) { self.init(error.code.rawValue, error.message) }
}

extension BatchProblem {
  /// An error that ends the run, because it affects every row.
  init(_ error: AdminError) {
    self.init(.unavailable, error.message, hint: "\(error.hint); then the same command goes on")
  }

  /// The error when the backend fails for all rows.
  static func silent(_ words: String, _ tries: Int) -> BatchProblem {
    BatchProblem(
      .unavailable,
      "the backend carries nothing out: after \(tries) tries of a step it still says: \(words)",
      hint: "see whether it is back, or the quota is free again; then the same command goes on")
  }
}
