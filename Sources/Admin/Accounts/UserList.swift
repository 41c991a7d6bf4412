import Encoding
import IdentityToolkit

/// All accounts of a project or tenant, fetched page by page as they are asked for.
public final class UserList {
  /// How many accounts a page may have.
  public static let pageSizes: ClosedRange<Int64> = 1...1000

  private let admin: Admin
  private let pageSize: Int64
  private var page: ArraySlice<JSON> = []
  private var nextToken: String?
  private var isLast = false
  private var isFetching = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ admin: Admin, pageSize: Int64) {
    self.admin = admin
    self.pageSize = pageSize
  }

  /// The next account; nil after the last one.
  ///
  /// Several tasks may take turns; each account goes to one of them.
  public func next() async throws(AdminError) -> UserRecord? {
    try await nextWire().map { (user) throws(AdminError) in try UserRecord(user) }
  }

  /// The next account as the backend tells it.
  func nextWire() async throws(AdminError) -> JSON? {
    while true {
      if let user = page.popFirst() { return user }
      if isFetching {
        await withCheckedContinuation { waiters.append($0) }
        continue
      }
      if isLast { return nil }
      try await fetch()
    }
  }

  /// Fetches a page; a failure leaves the list where it was, so that asking again repeats it.
  private func fetch() async throws(AdminError) {
    isFetching = true
    defer {
      isFetching = false
      let waiting = waiters
      waiters = []
      for waiter in waiting { waiter.resume() }
    }
    var query = [("maxResults", String(pageSize))]
    if let nextToken { query.append(("nextPageToken", nextToken)) }
    let answer = try await admin.call(AdminRequest(get: "accounts:batchGet", query: query))
    let token = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    if let token, let nextToken, ExactString(token) == ExactString(nextToken) {
      throw AdminError(
        .internalError, "the backend gives the same page of accounts again and again")
    }
    page = (answer["users"]?.array ?? [])[...]
    nextToken = token
    isLast = token == nil
  }
}

extension Admin {
  /// The accounts in the order of their uids.
  public func listUsers(pageSize: Int64 = 1000) throws(AdminError) -> UserList {
    guard UserList.pageSizes.contains(pageSize) else {
      throw AdminError(.invalidArgument, "pageSize must be a number from 1 to 1000")
    }
    return UserList(self, pageSize: pageSize)
  }
}
