internal import System
internal import HTTP

/// The search text of the user list, and where its page starts.
struct UserSearch {
  static let pageSize = 50

  let text: String
  /// The uid before the page's first user.
  let after: String?

  init(_ query: FormFields) {
    text = query["q"] ?? ""
    after = query["after"]
  }

  func page(of backend: Backend) -> (users: [Account], hasMore: Bool) {
    if after == nil, let exact = exact(in: backend) { return ([exact], false) }
    var found: [Account] = []
    var last = after
    let batch = text.isEmpty ? Self.pageSize + 1 : 500
    while found.count <= Self.pageSize {
      let accounts = backend.accounts.page(after: last, limit: batch)
      found += text.isEmpty ? accounts : accounts.filter(matches)
      guard accounts.count == batch else { break }
      last = accounts.last?.uid
    }
    return (Array(found.prefix(Self.pageSize)), found.count > Self.pageSize)
  }

  /// The user with the text as uid, e-mail address or phone number.
  private func exact(in backend: Backend) -> Account? {
    guard !text.isEmpty else { return nil }
    let accounts = backend.accounts
    return accounts[uid: text] ?? accounts[email: text.asciiLowercased] ?? accounts[phone: text]
  }

  private func matches(_ account: Account) -> Bool {
    let wanted = text.lowercased()
    func has(_ text: String?) -> Bool { text?.lowercased().contains(wanted) == true }
    return has(account.uid) || has(account.email) || has(account.displayName)
      || has(account.phoneNumber)
      || account.providers.contains { has($0.providerID) || has($0.rawID) || has($0.email) }
  }
}

extension DashboardPage {
  /// The users of a project or tenant, in pages.
  func users(
    _ scope: DashboardPath.Scope, _ backend: Backend, _ search: UserSearch
  ) -> ServerResponse {
    let (users, hasMore) = search.page(of: backend)
    return response(
      .users, title: "Users of \(scope.tenant ?? scope.project)", scope: scope,
      content: """
        <div class="head"><h1>Users</h1>\
        <a class="button primary" href="\(scope.address("new-user"))">Add user</a></div>
        \(tabs(scope, backend, section: "users"))
        <form class="search" role="search" action="\(scope.address("users"))">
        <label for="q">Search by e-mail, uid, phone, name, provider or id there</label>
        <div class="row"><input id="q" name="q" type="search" value="\(search.text)" dir="auto" \
        autocomplete="off" spellcheck="false"><button type="submit">Search</button></div>
        </form>
        <section id="users" aria-label="Users" data-live>
        \(list(users, scope, total: backend.accounts.count, search))
        \(pager(users, hasMore, scope, search))
        </section>
        """)
  }

  /// Links to the project and its tenants.
  func tabs(_ scope: DashboardPath.Scope, _ backend: Backend, section: String) -> Markup {
    let tenants = backend.project.tenants.keys.map(\.string).sorted()
    guard !tenants.isEmpty || !backend.project.isDefault else { return .nothing }
    let places = [nil] + tenants.map { Optional($0) }
    let items = places.map { tenant -> Markup in
      let place = DashboardPath.Scope(project: scope.project, tenant: tenant)
      let isHere = tenant.map { ExactString($0) } == scope.tenant.map { ExactString($0) }
      let current: Markup = isHere ? " aria-current=\"true\"" : .nothing
      return """
        <li><a href="\(place.address(section))"\(current)><bdi>\(tenant ?? scope.project)</bdi></a></li>

        """
    }
    return "<nav class=\"tabs\" aria-label=\"Project and tenants\"><ul>\n\(items)</ul></nav>"
  }

  private func list(
    _ users: [Account], _ scope: DashboardPath.Scope, total: Int, _ search: UserSearch
  ) -> Markup {
    guard !users.isEmpty else {
      return search.text.isEmpty
        ? "<div class=\"card empty\"><p><b>No users yet.</b> Add one here, or sign up in an app.</p></div>"
        : "<div class=\"card empty\"><p><b>Nobody found.</b> \(amount(total, "user")) in all.</p></div>"
    }
    let rows = users.map { account -> Markup in
      let under = account.displayName?.isEmpty == false ? account.email ?? account.phoneNumber : nil
      return """
        <tr><th scope="row"><a class="person" href="\(scope.address(user: account.uid))">\
        \(avatar(account))<span><b><bdi>\(name(of: account))</bdi></b>\
        <small><bdi>\(under ?? account.uid)</bdi></small></span></a></th>\
        <td class="mid">\(chips(account))</td>\
        <td class="wide">\(account.phoneNumber ?? "")</td>\
        <td class="wide">\(time(account.createdAt))</td>\
        <td class="wide">\(time(account.lastLoginAt))</td>\
        <td>\(state(account))</td></tr>

        """
    }
    let found = search.text.isEmpty ? amount(total, "user") : "\(users.count) found on this page"
    return """
      <p class="soft">\(found)</p>
      <div class="card flush"><table>
      <thead><tr><th scope="col">User</th><th scope="col" class="mid">Signs in by</th>\
      <th scope="col" class="wide">Phone</th><th scope="col" class="wide">Created</th>\
      <th scope="col" class="wide">Last sign-in</th><th scope="col">State</th></tr></thead>
      <tbody>
      \(rows)</tbody></table></div>
      """
  }

  private func pager(
    _ users: [Account], _ hasMore: Bool, _ scope: DashboardPath.Scope, _ search: UserSearch
  ) -> Markup {
    guard hasMore || search.after != nil else { return .nothing }
    var query = FormFields()
    if !search.text.isEmpty { query.append("q", search.text) }
    let first: Markup =
      search.after == nil
      ? .nothing
      : "<a class=\"button\" href=\"\(scope.address("users"))?\(query.encoded)\">First page</a> "
    var next = Markup.nothing
    if hasMore, let last = users.last {
      query.append("after", last.uid)
      next =
        "<a class=\"button\" rel=\"next\" href=\"\(scope.address("users"))?\(query.encoded)\">Next page</a>"
    }
    return "<nav class=\"pager\" aria-label=\"Pages\">\(first)\(next)</nav>"
  }

  func chips(_ account: Account) -> Markup {
    let ids = account.providerIDs
    guard !ids.isEmpty else {
      return account.isAnonymous
        ? pill("anonymous", "plain") : account.isCustom ? pill("custom token", "plain") : .nothing
    }
    return "\(ids.map { pill($0, "plain") })"
  }

  func state(_ account: Account) -> Markup {
    account.isDisabled ? pill("disabled", "bad") : pill("active", "good")
  }
}
