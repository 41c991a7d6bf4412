internal import System
internal import HTTP

extension DashboardPage {
  func newUser(
    _ scope: DashboardPath.Scope, typed: FormFields = FormFields(), problem: String? = nil,
    status: Int = 200
  ) -> ServerResponse {
    response(
      status: status, .users, title: "Add a user", scope: scope, problem: problem,
      content: """
        <p class="crumbs"><a href="\(scope.address("users"))">Users of \
        <bdi>\(scope.tenant ?? scope.project)</bdi></a></p>
        <h1>Add a user</h1>
        \(form(scope.address("new-user")))
        \(field("email", "E-mail address", value: typed["email"] ?? "", type: "email"))\
        \(field("password", "Password", type: "password", hint: "at least six characters"))\
        \(field("displayName", "Name", value: typed["displayName"] ?? ""))\
        \(field("phoneNumber", "Phone number", value: typed["phoneNumber"] ?? "", type: "tel",
          hint: "with country code, such as +15555550100"))\
        \(field("photoUrl", "Address of a photo", value: typed["photoUrl"] ?? "", type: "url"))\
        \(field("localId", "Uid", value: typed["localId"] ?? "", hint: "made up when left empty"))\
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
        <bdi>\(scope.tenant ?? scope.project)</bdi></a></p>
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
        hint: "a new address ends the sessions there are"))\
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
      <p>The account goes at once, and with it every way to sign in to it.</p>
      <div class="row"><button class="danger" name="action" value="delete" type="submit">\
      Delete for good</button></div>
      </details>
      </form>
      """
  }

  private func links(_ account: Account, _ action: String, _ providers: [String]) -> Markup {
    let rows = account.providers.map { identity -> Markup in
      // At the password provider the id is the e-mail address.
      let address = identity.providerID == "password" ? "" : identity.email ?? ""
      return """
        <tr><th scope="row">\(identity.providerID)</th><td><bdi>\(identity.rawID)</bdi>\
        <small><bdi>\(address)</bdi></small></td><td class="num">\
        \(form(action, class: "inline"))<input type="hidden" name="providerId" \
        value="\(identity.providerID)"><button class="small" name="action" value="unlink" type="submit">\
        Unlink<span class="hidden"> \(identity.providerID)</span></button></form></td></tr>

        """
    }
    let table: Markup =
      rows.isEmpty
      ? "<p class=\"soft\">Nothing is linked.</p>"
      : """
      <table><thead><tr><th scope="col">Provider</th><th scope="col">Id there</th>\
      <th scope="col"><span class="hidden">Actions</span></th></tr></thead>
      <tbody>
      \(rows)</tbody></table>
      """
    let options = providers.map { id -> Markup in "<option value=\"\(id)\">" }
    return """
      <section class="card" aria-labelledby="links-title"><h2 id="links-title">Ways to sign in</h2>
      \(table)
      <details><summary>Add a provider</summary>
      \(form(action, class: "stack"))
      <div class="field"><label for="f-providerId">Provider</label>\
      <input id="f-providerId" name="providerId" list="providers" autocomplete="off" \
      spellcheck="false" required><datalist id="providers">\(options)</datalist></div>
      \(field("rawId", "Id there", isRequired: true))\
      <div class="row end"><button name="action" value="link" type="submit">Add provider</button></div>
      </form>
      </details>
      </section>
      """
  }
}
