internal import System
internal import HTTP

/// The search text of the user list, and where its page starts.
struct UserSearch {
  static let pageSize = 50
  /// Above this number users are in the order of their uids, which needs no sorting.
  private static let mostSorted = 2000

  let text: String
  /// The uid before the page's first user.
  let after: String?

  init(_ query: FormFields) {
    text = query["q"] ?? ""
    after = query["after"]
  }

  func page(of backend: Backend) -> (users: [Account], hasMore: Bool) {
    if after == nil, let exact = exact(in: backend) { return ([exact], false) }
    if backend.accounts.count <= Self.mostSorted { return sortedPage(of: backend) }
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

  /// A page of all users, the newest first.
  private func sortedPage(of backend: Backend) -> (users: [Account], hasMore: Bool) {
    var accounts = backend.accounts.all().sorted(by: Account.isListed)[...]
    if let after, let place = accounts.firstIndex(where: { sameText($0.uid, after) }) {
      accounts = accounts[(place + 1)...]
    }
    let found = text.isEmpty ? accounts : accounts.filter(matches)[...]
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

extension Account {
  /// Whether an account is listed before another: the newest first, then by uid.
  static func isListed(_ one: Account, before other: Account) -> Bool {
    let (first, second) = (one.createdAt ?? 0, other.createdAt ?? 0)
    return first == second ? ScriptOrder.precedes(one.uid, other.uid) : first > second
  }
}

extension DashboardPage {
  /// The users of a project or tenant, in pages.
  func users(
    _ scope: DashboardPath.Scope, _ backend: Backend, _ search: UserSearch
  ) -> ServerResponse {
    let (users, hasMore) = search.page(of: backend)
    return response(
      .users, title: "Users of \(scope.title)", scope: scope,
      content: """
        <div class="head"><h1>Users</h1>\
        <a class="button primary" href="\(scope.address("new-user"))">Add user</a></div>
        \(tabs(scope, backend, section: "users"))
        <form class="search" role="search" action="\(scope.address("users"))">
        <label for="q">Search by e-mail address, uid, phone number, name, provider or provider uid</label>
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
      let isHere = sameText(tenant, scope.tenant)
      let current: Markup = isHere ? " aria-current=\"true\"" : .nothing
      return """
        <li><a href="\(place.address(section))"\(current)><bdi>\(tenant.map(backend.project.name(ofTenant:)) ?? scope.project)</bdi></a></li>

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
        : "<div class=\"card empty\"><p><b>No user matches.</b> There are \(amount(total, "user")).</p></div>"
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
    let found = search.text.isEmpty ? amount(total, "user") : "\(users.count) on this page"
    return """
      <p class="soft">\(found)</p>
      <div class="card flush"><table>
      <thead><tr><th scope="col">User</th><th scope="col" class="mid">Sign-in methods</th>\
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
    return "\(ids.map { pill(context.configuration.name(ofProvider: $0), "plain") })"
  }

  func state(_ account: Account) -> Markup {
    account.isDisabled ? pill("disabled", "bad") : pill("active", "good")
  }

  func newUser(
    _ scope: DashboardPath.Scope, typed: FormFields = FormFields(), problem: String? = nil,
    status: Int = 200
  ) -> ServerResponse {
    response(
      status: status, .users, title: "Add a user", scope: scope, problem: problem,
      content: """
        <p class="crumbs"><a href="\(scope.address("users"))">Users of \
        <bdi>\(scope.title)</bdi></a></p>
        <h1>Add a user</h1>
        \(form(scope.address("new-user")))
        \(field("email", "E-mail address", value: typed["email"] ?? "", type: "email"))\
        \(field("password", "Password", type: "password", hint: "at least six characters"))\
        \(field("displayName", "Name", value: typed["displayName"] ?? ""))\
        \(field("phoneNumber", "Phone number", value: typed["phoneNumber"] ?? "", type: "tel",
          hint: "with country code, such as +15555550100"))\
        \(field("photoUrl", "Address of a photo", value: typed["photoUrl"] ?? "", type: "url"))\
        \(field("localId", "Uid", value: typed["localId"] ?? "", hint: "random if empty"))\
        \(checkbox("emailVerified", "E-mail address is verified", isOn: typed["emailVerified"] != nil))\
        \(checkbox("disabled", "Disabled", isOn: typed["disabled"] != nil))\
        <div class="row end"><button class="primary" type="submit">Add user</button></div>
        </form>
        """)
  }

  /// A user's page, with forms for all changes.
  func user(
    _ scope: DashboardPath.Scope, _ account: Account, providers: [String],
    typed: FormFields = FormFields(), problem: String? = nil, status: Int = 200
  ) -> ServerResponse {
    let address = scope.address(user: account.uid)
    return response(
      status: status, .users, title: name(of: account), scope: scope, problem: problem,
      content: """
        <p class="crumbs"><a href="\(scope.address("users"))">Users of \
        <bdi>\(scope.title)</bdi></a></p>
        <div class="head person">\(avatar(account))<h1><bdi>\(name(of: account))</bdi></h1>\
        \(state(account))</div>
        <div class="columns">
        <div>
        \(profile(account, address, typed))
        \(links(account, address, providers))
        </div>
        <div>
        \(facts(account))
        \(password(account, address))
        \(access(account, address))
        </div>
        </div>
        """)
  }

  private func facts(_ account: Account) -> Markup {
    let factors = (account.factors ?? []).map { factor -> Markup in
      """
      <dt>Second factor</dt><dd><bdi>\(factor.phoneNumber ?? "authenticator app")</bdi> \
      <small><bdi>\(factor.displayName ?? "")</bdi></small></dd>

      """
    }
    let since = account.shownValidSince.map { $0 * 1000 }
    return """
      <section class="card" aria-labelledby="facts-title" id="facts" data-live>
      <h2 id="facts-title">Account</h2>
      <dl>
      <dt>Uid</dt><dd><code>\(account.uid)</code></dd>
      <dt>Created</dt><dd>\(time(account.createdAt))</dd>
      <dt>Last sign-in</dt><dd>\(time(account.lastLoginAt))</dd>
      <dt>Tokens valid since</dt><dd>\(time(since))</dd>
      <dt>Password</dt><dd>\(account.password == nil ? "not set" : "set")</dd>
      \(factors)</dl>
      </section>
      """
  }

  private func profile(_ account: Account, _ address: String, _ typed: FormFields) -> Markup {
    // After an error the form keeps its entries.
    let isTyped = typed["action"] == "profile"
    func value(_ name: String, _ kept: String?) -> String {
      (isTyped ? typed[name] : kept) ?? ""
    }
    let isVerified = isTyped ? typed["emailVerified"] != nil : account.isEmailVerified
    return """
      \(form(address))
      <h2>Profile</h2>
      \(field("displayName", "Name", value: value("displayName", account.displayName)))\
      \(field("email", "E-mail address", value: value("email", account.email),
        hint: "a new address ends the user's sessions"))\
      \(checkbox("emailVerified", "E-mail address is verified", isOn: isVerified))\
      \(field("phoneNumber", "Phone number", value: value("phoneNumber", account.phoneNumber), type: "tel"))\
      \(field("photoUrl", "Address of a photo", value: value("photoUrl", account.photoURL)))\
      <div class="field"><label for="f-claims">Custom claims</label>\
      <textarea id="f-claims" name="customAttributes" rows="4" spellcheck="false" \
      aria-describedby="f-claims-hint">\
      \(value("customAttributes", account.customAttributes))</textarea>\
      <small id="f-claims-hint">a JSON object, such as {"role": "admin"}</small></div>
      <div class="row end"><button class="primary" name="action" value="profile" type="submit">\
      Save</button></div>
      </form>
      """
  }

  private func password(_ account: Account, _ address: String) -> Markup {
    """
    \(form(address))
    <h2>\(account.password == nil ? "Set a password" : "New password")</h2>
    \(field("password", "Password", type: "password", isRequired: true))\
    <div class="row end"><button name="action" value="password" type="submit">Set password</button></div>
    </form>
    """
  }

  private func access(_ account: Account, _ address: String) -> Markup {
    let toggle: Markup =
      account.isDisabled
      ? "<button name=\"action\" value=\"enable\" type=\"submit\">Enable</button>"
      : "<button name=\"action\" value=\"disable\" type=\"submit\">Disable</button>"
    return """
      \(form(address))
      <h2>Access</h2>
      <div class="row">\(toggle)<button name="action" value="revoke" type="submit">Revoke tokens</button></div>
      <details><summary>Delete this user</summary>
      <p>This deletes the account with all its sign-in methods. It cannot be undone.</p>
      <div class="row"><button class="danger" name="action" value="delete" type="submit">\
      Delete</button></div>
      </details>
      </form>
      """
  }

  private func links(_ account: Account, _ action: String, _ providers: [String]) -> Markup {
    let rows = account.providers.map { identity -> Markup in
      // At the password provider the id is the e-mail address.
      let address = identity.providerID == "password" ? "" : identity.email ?? ""
      return """
        <tr><th scope="row">\(context.configuration.name(ofProvider: identity.providerID))\
        <small>\(identity.providerID)</small></th><td><bdi>\(identity.rawID)</bdi>\
        <small><bdi>\(address)</bdi></small></td><td class="num">\
        \(form(action, class: "inline"))<input type="hidden" name="providerId" \
        value="\(identity.providerID)"><button class="small" name="action" value="unlink" type="submit">\
        Unlink<span class="hidden"> \(identity.providerID)</span></button></form></td></tr>

        """
    }
    let table: Markup =
      rows.isEmpty
      ? "<p class=\"soft\">No sign-in method is linked.</p>"
      : """
      <table><thead><tr><th scope="col">Provider</th><th scope="col">Provider uid</th>\
      <th scope="col"><span class="hidden">Actions</span></th></tr></thead>
      <tbody>
      \(rows)</tbody></table>
      """
    let options = providers.map { id -> Markup in
      "<option value=\"\(id)\">\(context.configuration.name(ofProvider: id))</option>"
    }
    return """
      <section class="card" aria-labelledby="links-title"><h2 id="links-title">Sign-in methods</h2>
      \(table)
      <details><summary>Add a provider</summary>
      \(form(action, class: "stack"))
      <div class="field"><label for="f-providerId">Provider</label>\
      <input id="f-providerId" name="providerId" list="providers" autocomplete="off" \
      spellcheck="false" required><datalist id="providers">\(options)</datalist></div>
      \(field("rawId", "Provider uid", isRequired: true))\
      <div class="row end"><button name="action" value="link" type="submit">Add provider</button></div>
      </form>
      </details>
      </section>
      """
  }
}
