import Client
import System
import IdentityToolkit
import Lua
import OIDC

enum KeySource {
  case path(String)
  case json(JSON)

  func read() throws(AdminError) -> ServiceAccount {
    switch self {
    case .path(let path): try ServiceAccount(path: path)
    case .json(let json): try ServiceAccount(json: json)
    }
  }
}

extension Interpreter {
  /// The administrator of a target.
  ///
  /// On a real project without `key`, it uses the file that `GOOGLE_APPLICATION_CREDENTIALS` names. For a key
  /// file it returns the same administrator each time, so that its access token is reused, until the file
  /// contains another key.
  func makeAdmin(
    target name: String?, _ key: KeySource?, tenantID: String?
  ) throws(LuaError) -> Admin {
    let target =
      try name.map { (name) throws(LuaError) in try self.target(named: name) }
      ?? context.target
    var key = key
    if key == nil, !target.isEmulated,
      let path = context.environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty
    {
      key = .path(path)
    }
    // None of these contains NUL.
    var place: ExactString?
    if case .path(let path)? = key {
      place = ExactString([name ?? "", path, tenantID ?? ""].joined(separator: "\0"))
    }
    if case .path(let path)? = key {
      try adminChecked { () throws(AdminError) in try checkKey(path) }
    }
    let account = try adminChecked { [key] () throws(AdminError) in try key?.read() }
    if let place, let known = admins[place], known.serviceAccount?.isSame(as: account) == true {
      return known
    }
    let made = try adminChecked { () throws(AdminError) in
      try Admin(
        target: target, serviceAccount: account, tenantID: tenantID,
        transport: transport(to: target), clock: clock)
    }
    if let place { admins[place] = made }
    return made
  }

  /// Refuses a key file that other users can write, and warns of one that they can read.
  private func checkKey(_ path: String) throws(AdminError) {
    guard let access = FileAccess(path: path), access.isPlainFile else { return }
    let advice = "run chmod 600 \(path.printable)"
    guard !access.othersMay(.write) else {
      throw AdminError(
        .invalidServiceAccount,
        "the service account's key file \(path.printable) can be written by others", hint: advice)
    }
    guard access.othersMay(.read), context.projectGuard.isFirstReport(ofKey: path) else { return }
    context.warn?(
      "the service account's key file \(path.printable) can be read by others", advice)
  }
}

extension ScriptClock: AdminClock {}

extension ServiceAccount {
  /// Whether it is the same key, by account, key ID and token URL.
  fileprivate func isSame(as other: ServiceAccount?) -> Bool {
    other?.clientEmail == clientEmail && other?.key.keyID == key.keyID
      && other?.tokenURL == tokenURL
  }
}
