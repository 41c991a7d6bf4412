import Admin
import Encoding
import IdentityToolkit
import Lua

/// Where a service account's key comes from.
enum KeySource {
  case path(String)
  case json(JSON)

  /// Reads the key.
  func read() throws(AdminError) -> ServiceAccount {
    switch self {
    case .path(let path): try ServiceAccount(path: path)
    case .json(let json): try ServiceAccount(json: json)
    }
  }
}

extension Interpreter {
  /// The administrator of a target; on a real one, with the key that the environment names if none
  /// is given.
  func makeAdmin(
    _ target: Target, _ key: KeySource?, tenantID: String?
  ) throws(LuaError) -> Admin {
    var key = key
    if key == nil, !target.isEmulated,
      let path = context.environment["GOOGLE_APPLICATION_CREDENTIALS"], !path.isEmpty
    {
      key = .path(path)
    }
    return try adminChecked { [key] () throws(AdminError) in
      try Admin(
        target: target, serviceAccount: try key.map { (key) throws(AdminError) in try key.read() },
        tenantID: tenantID, transport: transport(to: target), clock: clock)
    }
  }
}

extension ScriptClock: AdminClock {}
