public import System

/// The settings of an e-mail link: where it leads, and which apps it may open.
public struct LinkSettings: Sendable {
  /// The allowed fields of their table.
  static let names = ["url", "handleCodeInApp", "linkDomain", "iOS", "android"]

  /// The fields of the request.
  let wire: JSONObject

  /// Parses a table with the names of Firebase's SDKs.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, "settings.", names: Self.names)
    var wire = JSONObject()
    wire["continueUrl"] = try reader.text("url").map(JSON.string)
    wire["canHandleCodeInApp"] = try reader.flag("handleCodeInApp").map(JSON.bool)
    wire["linkDomain"] = try reader.text("linkDomain").map(JSON.string)
    if let app = try reader.record("iOS", names: ["bundleID"]) {
      wire["iOSBundleId"] = try app.text("bundleID").map(JSON.string)
    }
    if let app = try reader.record(
      "android", names: ["packageName", "installApp", "minimumVersion"])
    {
      wire["androidPackageName"] = try app.text("packageName").map(JSON.string)
      wire["androidInstallApp"] = try app.flag("installApp").map(JSON.bool)
      wire["androidMinimumVersion"] = try app.text("minimumVersion").map(JSON.string)
    }
    self.wire = wire
  }
}
