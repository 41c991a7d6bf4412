internal import System
internal import HTTP

extension Dashboard {
  /// Performs the action of a submitted form and redirects the browser.
  func post(_ request: HTTPRequest) async -> ServerResponse {
    let form = request.form
    guard seal.accepts(request, code: form["csrf"]) else {
      return page(request).problem(
        403,
        "The form is not from a page that this browser has opened. Go back, reload the page and "
          + "send the form again.")
    }
    switch DashboardPath(path: request.url.path) {
    case .newUser(let scope):
      guard let backend = backend(scope) else { return page(request).unknownProject(scope.project) }
      return await create(request, form, scope.named(by: backend))
    case .user(let scope):
      guard let backend = backend(scope) else { return page(request).unknownProject(scope.project) }
      guard let account = account(request, backend) else {
        return page(request).problem(
          404, "There is no user with this uid; it may have been deleted.")
      }
      return await change(request, form, scope.named(by: backend), account)
    case .settings(let id):
      guard let project = project(id) else { return page(request).unknownProject(id) }
      return await changeSettings(request, form, of: project)
    case .faults: return await changeFaults(request, form)
    default: return RequestRouter.wrongMethod(request, allowed: ["GET", "HEAD"])
    }
  }

  private func create(
    _ request: HTTPRequest, _ form: FormFields, _ scope: DashboardPath.Scope
  ) async -> ServerResponse {
    var body = JSONObject()
    for name in ["localId", "email", "password", "displayName", "phoneNumber", "photoUrl"] {
      if let text = form[name], !text.isEmpty { body[name] = .string(text) }
    }
    body["emailVerified"] = .bool(form["emailVerified"] != nil)
    if form["disabled"] != nil { body["disabled"] = true }
    let reply = await calls.post(scope.operation("accounts"), body)
    if let refusal = reply.refusal {
      return page(request).newUser(scope, typed: form, problem: refusal, status: reply.status)
    }
    return Self.go(to: scope.address(user: reply.body["localId"]?.string ?? ""), .created)
  }

  private func change(
    _ request: HTTPRequest, _ form: FormFields, _ scope: DashboardPath.Scope, _ account: Account
  ) async -> ServerResponse {
    var body: JSONObject = ["localId": .string(account.uid)]
    var operation = "accounts:update"
    var address = scope.address(user: account.uid)
    let notice: DashboardNotice
    switch form["action"] {
    case "profile":
      Self.profile(form, of: account, into: &body)
      notice = .saved
    case "password":
      body["password"] = .string(form["password"] ?? "")
      notice = .password
    case "disable":
      body["disableUser"] = true
      notice = .disabled
    case "enable":
      body["disableUser"] = false
      notice = .enabled
    case "revoke":
      body["validSince"] = .string(String(context.clock.seconds))
      notice = .revoked
    case "link":
      var info = JSONObject()
      for name in ["providerId", "rawId", "email", "displayName"] {
        if let text = form[name], !text.isEmpty { info[name] = .string(text) }
      }
      body["linkProviderUserInfo"] = .object(info)
      notice = .linked
    case "unlink":
      body["deleteProvider"] = [.string(form["providerId"] ?? "")]
      notice = .unlinked
    case "delete":
      operation = "accounts:delete"
      address = scope.address("users")
      notice = .deleted
    default: return page(request).problem(400, "The form has an unknown action.")
    }
    let reply = await calls.post(scope.operation(operation), body)
    guard let refusal = reply.refusal else { return Self.go(to: address, notice) }
    guard let backend = backend(scope) else { return page(request).unknownProject(scope.project) }
    return page(request).user(
      scope, backend.accounts[uid: account.uid] ?? account, providers: providers(for: backend),
      typed: form, problem: refusal, status: reply.status)
  }

  /// Adds the profile fields that the form changes; unchanged fields stay out of the request.
  private static func profile(_ form: FormFields, of account: Account, into body: inout JSONObject)
  {
    var deleted: [JSON] = []
    func set(_ name: String, from old: String?, deletedBy attribute: String) {
      let new = form[name] ?? ""
      guard !sameText(new, old ?? "") else { return }
      if new.isEmpty { deleted.append(.string(attribute)) } else { body[name] = .string(new) }
    }
    set("displayName", from: account.displayName, deletedBy: "DISPLAY_NAME")
    set("photoUrl", from: account.photoURL, deletedBy: "PHOTO_URL")
    set("email", from: account.email, deletedBy: "EMAIL")
    if !deleted.isEmpty { body["deleteAttribute"] = .array(deleted) }
    let number = form["phoneNumber"] ?? ""
    if !sameText(number, account.phoneNumber ?? "") {
      if number.isEmpty {
        body["deleteProvider"] = ["phone"]
      } else {
        body["phoneNumber"] = .string(number)
      }
    }
    let isVerified = form["emailVerified"] != nil
    // A new address is unverified unless the form marks it as verified.
    if isVerified != account.isEmailVerified || body["email"] != nil {
      body["emailVerified"] = .bool(isVerified)
    }
    // Browsers use CR LF as the line ending in a text area.
    let claims = (form["customAttributes"] ?? "").replacing("\r\n", with: "\n")
    if !sameText(claims, account.customAttributes ?? "") {
      body["customAttributes"] = .string(claims)
    }
  }

  // MARK: Settings

  private func changeSettings(
    _ request: HTTPRequest, _ form: FormFields, of project: Project
  ) async -> ServerResponse {
    let chosen = Set(form.all("on").map { ExactString($0) })
    let body = SettingsTree.changes(in: settings(of: project)) { path, _ in
      .bool(chosen.contains(ExactString(path)))
    }
    let reply = await calls.send(
      "PATCH", Self.settingsPath(project.id), body.object ?? JSONObject())
    guard let refusal = reply.refusal else {
      return Self.go(to: DashboardPath.Scope(project: project.id).address("settings"), .saved)
    }
    return page(request).settings(
      of: project, wire: settings(of: project), problem: refusal, status: reply.status)
  }

  /// Redirects after a form, so that reloading the page does not submit it again.
  static func go(to address: String, _ notice: DashboardNotice) -> ServerResponse {
    let joint = address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    return ServerResponse(
      status: 303,
      headers: [
        "Location": "\(address)\(joint)done=\(notice.rawValue)", "Cache-Control": "no-store",
      ])
  }
}

/// The settings of a project as a list of values, each with its path.
enum SettingsTree {
  struct Leaf {
    /// The member names that lead to it, joined by slashes and escaped as in RFC 6901.
    let path: String
    let value: JSON
  }

  /// All settings in order, including lists and strings, which the page shows but cannot change.
  static func leaves(of settings: JSON) -> [Leaf] {
    var found: [Leaf] = []
    walk(settings, "") { found.append(Leaf(path: $0, value: $1)) }
    return found
  }

  /// New values for all switches, with the structure of the settings.
  static func changes(in settings: JSON, _ value: (String, Bool) -> JSON) -> JSON {
    rebuild(settings, "", value) ?? [:]
  }

  private static func rebuild(
    _ settings: JSON, _ path: String, _ value: (String, Bool) -> JSON
  ) -> JSON? {
    switch settings {
    case .bool(let flag): return value(path, flag)
    case .object(let object):
      var rebuilt = JSONObject()
      for (name, member) in object.entries {
        if let new = rebuild(member, step(path, name), value) { rebuilt[name] = new }
      }
      return rebuilt.isEmpty ? nil : .object(rebuilt)
    default: return nil
    }
  }

  private static func walk(_ settings: JSON, _ path: String, _ body: (String, JSON) -> Void) {
    guard case .object(let object) = settings else { return body(path, settings) }
    for (name, member) in object.entries { walk(member, step(path, name), body) }
  }

  private static func step(_ path: String, _ name: String) -> String {
    let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
    return path.isEmpty ? escaped : "\(path)/\(escaped)"
  }
}
