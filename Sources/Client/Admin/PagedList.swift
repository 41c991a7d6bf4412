import System
import HTTP
import IdentityToolkit

/// A paged list of the backend, fetched on demand.
///
/// It has the isolation of its administrator and is not shared between threads.
public final class PagedList<Item> {
  /// Fetches the page of a token, the first one for nil, and the next page's token.
  typealias Fetch =
    (_ token: String?) async throws(AdminError) -> (items: [Item], nextToken: String?)

  private let fetch: Fetch
  private var page: ArraySlice<Item> = []
  private var nextToken: String?
  private var isLast = false
  private let fetching = SharedWork<Void, AdminError>()

  init(_ fetch: @escaping Fetch) { self.fetch = fetch }

  /// Returns the next item; nil after the last one.
  ///
  /// Several tasks may call it; each item is returned to one of them.
  public func next() async throws(AdminError) -> Item? {
    while true {
      if let item = page.popFirst() { return item }
      if isLast { return nil }
      _ = try await fetching.share(fetchPage)
    }
  }

  /// Fetches a page; after a failure the list is unchanged, so that the next call retries.
  private func fetchPage() async throws(AdminError) {
    let (items, given) = try await fetch(nextToken)
    let token = given.flatMap { $0.isEmpty ? nil : $0 }
    if let token, let nextToken, ExactString(token) == ExactString(nextToken) {
      throw AdminError(.internalError, "the backend gives the same page of a list again and again")
    }
    page = items[...]
    nextToken = token
    isLast = token == nil
  }
}

extension Admin {
  /// The allowed page sizes of a list.
  static let pageSizes: ClosedRange<Int64> = 1...1000

  static func check(pageSize: Int64) throws(AdminError) {
    guard pageSizes.contains(pageSize) else {
      throw AdminError(.invalidArgument, "pageSize must be a number from 1 to 1000")
    }
  }
}
