import Client
import System
import HTTP
import IdentityToolkit

/// Looks up accounts in batches, for commands that change nothing.
actor AccountReader {
  private nonisolated let loop: EventLoop
  private let makeAdmin: @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  private var made: Admin?

  /// The executor of the loop's thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates a reader; `makeAdmin` is called on the loop's thread at the first lookup.
  init(
    on loop: EventLoop,
    makeAdmin: @escaping @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  ) {
    self.loop = loop
    self.makeAdmin = makeAdmin
  }

  /// The existing accounts with these uids; duplicate uids are looked up once.
  func images(of uids: [String]) async throws(BatchProblem) -> AccountImages {
    let admin = try admin()
    var seen: Set<ExactString> = []
    let unique = uids.filter { seen.insert(ExactString($0)).inserted }
    var images = AccountImages()
    var start = 0
    while start < unique.count {
      let end = min(unique.count, start + Admin.mostLookedUp)
      do throws(AdminError) {
        for user in try await admin.lookUpWire(unique[start..<end].map { .uid($0) }) {
          if let uid = user["localId"]?.string { images[uid] = user }
        }
      } catch {
        throw BatchProblem(.unavailable, error.message, hint: error.hint)
      }
      start = end
    }
    return images
  }

  private func admin() throws(BatchProblem) -> Admin {
    if let made { return made }
    let admin = try makeAdmin(loop)
    made = admin
    return admin
  }
}

/// Looks up accounts by uid.
typealias AccountLook =
  @Sendable ([String]) async throws(BatchProblem) -> AccountImages
