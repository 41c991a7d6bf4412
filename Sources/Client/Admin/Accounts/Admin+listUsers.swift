import System
import IdentityToolkit

extension Admin {
  /// Lists the accounts in the order of their uids.
  public func listUsers(pageSize: Int64 = 1000) throws(AdminError) -> PagedList<UserRecord> {
    let accounts = try accounts(pageSize: pageSize)
    return PagedList { token throws(AdminError) in
      let page = try await accounts(token)
      var users: [UserRecord] = []
      for user in page.items { users.append(try UserRecord(user)) }
      return (users, page.nextToken)
    }
  }

  /// Lists the accounts as JSON from the backend.
  func listWireUsers(pageSize: Int64) throws(AdminError) -> PagedList<JSON> {
    PagedList(try accounts(pageSize: pageSize))
  }

  private func accounts(pageSize: Int64) throws(AdminError) -> PagedList<JSON>.Fetch {
    try Self.check(pageSize: pageSize)
    return { token throws(AdminError) in
      var query = [("maxResults", String(pageSize))]
      if let token { query.append(("nextPageToken", token)) }
      let answer = try await self.call(AdminRequest(get: "accounts:batchGet", query: query))
      return (answer["users"]?.array ?? [], answer["nextPageToken"]?.string)
    }
  }
}
