import Client
import System
import Lua

/// Action codes of e-mails: the table of operations, the link parser, and the settings.
enum ActionCodeFunctions {
  private static let metatable = "luath.ActionCodeOperation"

  static var operations: (String, LuaValue) {
    (
      "ActionCodeOperation",
      .pushed { call in
        let names = ActionCodeOperation.allCases.map(\.rawValue)
        call.push(.record(names.map { ($0, .string($0)) }))
        call.useMetatable(metatable)
      }
    )
  }

  static func register(in lua: LuaState) {
    let names = ActionCodeOperation.allCases.map(\.rawValue)
    lua.registerMetatable(
      metatable,
      [("__index", .function(AuthModule.missing("Auth.ActionCodeOperation", names)))])
  }

  static func declare(_ auth: inout Declarations) {
    auth.add(
      "ActionCodeURL", "Takes the link of an e-mail apart, whatever other link is around it.",
      [LuaParameter("link", .secret)],
      returns: "a table with operation, code, apiKey, continueURL, languageCode, tenantID; or nil"
    ) { call in
      guard let url = ActionCodeURL(call.string(1) ?? "") else {
        call.push(.nil)
        return .results(1)
      }
      call.push(
        .record([
          ("operation", .string(url.operation.rawValue)), ("code", .string(url.code.reveal())),
          ("apiKey", .string(ifAny: url.apiKey?.reveal())),
          ("continueURL", .string(ifAny: url.continueURL)),
          ("languageCode", .string(ifAny: url.languageCode)),
          ("tenantID", .string(ifAny: url.tenantID)),
        ]))
      return .results(1)
    }
  }

  static func settings(optional: Bool = true) -> LuaParameter {
    LuaParameter(
      "settings",
      .options([
        LuaParameter("url", .string, optional: true, "where to go on when the code was used"),
        LuaParameter(
          "handleCodeInApp", .boolean, optional: true, "whether the app uses the code itself"),
        LuaParameter("iOSBundleID", .string, optional: true, "the iOS app that opens the link"),
        LuaParameter(
          "androidPackageName", .string, optional: true, "the Android app that opens the link"),
        LuaParameter("androidMinimumVersion", .string, optional: true, "its oldest good version"),
        LuaParameter(
          "androidInstallIfNotAvailable", .boolean, optional: true, "whether it is installed"),
        LuaParameter("linkDomain", .string, optional: true, "a hosting domain of the project"),
      ]), optional: optional, "where the link leads on to, and what opens it")
  }

  static func settings(_ call: LuaCall, _ index: Int) -> ActionCodeSettings? {
    guard call.isTable(index) else { return nil }
    func text(_ name: String) -> String? { call.field(index, name) { $0.string($1) } }
    func flag(_ name: String) -> Bool { call.field(index, name) { $0.boolean($1) } }
    var settings = ActionCodeSettings()
    settings.url = text("url")
    settings.handleCodeInApp = flag("handleCodeInApp")
    settings.iOSBundleID = text("iOSBundleID")
    settings.androidPackageName = text("androidPackageName")
    settings.androidMinimumVersion = text("androidMinimumVersion")
    settings.androidInstallIfNotAvailable = flag("androidInstallIfNotAvailable")
    settings.linkDomain = text("linkDomain")
    return settings
  }
}
