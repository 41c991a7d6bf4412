import System
import HTTP

/// The configuration of an app, as downloaded from the Firebase console.
///
/// Supports the files of Apple apps, Android apps and web apps, the latter as JSON or as the JavaScript that the
/// console shows. The format is detected from the content, because users rename the files.
struct AppFile {
  let projectID: String
  let apiKey: Secret
  /// The auth domain; nil for the project's default domain.
  var authDomain: String?
  /// The headers that a key with app restrictions requires.
  var headers = HTTPHeaders()

  /// Parses a file; `androidPackage` selects one of the apps in an Android file.
  ///
  /// Error messages quote no value of the file.
  init(_ bytes: [UInt8], androidPackage: String? = nil) throws(Problem) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    if text.starts(with: "bplist".utf8) {
      throw Problem(
        "it is a binary property list",
        hint: "convert it: plutil -convert xml1 FILE, or plistutil -i FILE -o FILE.xml")
    }
    if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE]) {
      throw Problem("it is UTF-16", hint: "save it as UTF-8")
    }
    switch text.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "<")?: self = try AppFile(apple: try PropertyList.strings(of: text))
    case UInt8(ascii: "{")?:
      guard let json = try? JSON.parse(text) else { fallthrough }
      self = try AppFile(json, androidPackage)
    default: self = try AppFile(web: try ScriptObject.strings(of: text))
    }
  }

  private init(_ json: JSON, _ androidPackage: String?) throws(Problem) {
    if json["type"] == "service_account" {
      throw Problem(
        "it is the key of a service account, which clients have no use for",
        hint: "give it to luath.admin, and download the configuration of an app for the target")
    }
    // The output of `firebase apps:sdkconfig --json`.
    if let contents = json["result"]?["fileContents"]?.string {
      self = try AppFile(Array(contents.utf8), androidPackage: androidPackage)
    } else if json["project_info"] != nil {
      self = try AppFile(android: json, package: androidPackage)
    } else {
      let object = json["result"]?["sdkConfig"] ?? json
      self = try AppFile(web: (object.object ?? [:]).strings)
    }
  }

  private init(apple fields: [String: String]) throws(Problem) {
    projectID = try Self.require("PROJECT_ID", fields)
    apiKey = Secret(try Self.require("API_KEY", fields))
    if let bundle = fields["BUNDLE_ID"] { headers.set("X-Ios-Bundle-Identifier", bundle) }
    if let app = fields["GOOGLE_APP_ID"] { headers.set("X-Firebase-GMPID", app) }
    try checkHeaders()
  }

  private init(web fields: [String: String]) throws(Problem) {
    projectID = try Self.require("projectId", fields)
    apiKey = Secret(try Self.require("apiKey", fields))
    authDomain = fields["authDomain"]
    if let app = fields["appId"] { headers.set("X-Firebase-GMPID", app) }
    // A key that is restricted to web sites allows at least the site with the sign-in page.
    headers.set("Referer", "https://\(authDomain ?? "\(projectID).firebaseapp.com")/")
    try checkHeaders()
  }

  private init(android json: JSON, package: String?) throws(Problem) {
    let clients = json["client"]?.array ?? []
    func name(_ client: JSON) -> String? {
      client["client_info"]?["android_client_info"]?["package_name"]?.string
    }
    let names = clients.compactMap(name).sorted()
    let known = names.joined(separator: ", ").printable
    let client: JSON
    if let package {
      guard let found = clients.first(where: { name($0) == package }) else {
        throw Problem(
          "it has no app with the package \(package.printable)", hint: "it has \(known)")
      }
      client = found
    } else if clients.count > 1 {
      throw Problem(
        "it has several apps", hint: "choose one with androidPackage, in luath.lua: \(known)")
    } else {
      client = clients.first ?? [:]
    }
    projectID = try Self.require(
      "project_id", json["project_info"]?.object?.strings ?? [:])
    apiKey = Secret(
      try Self.require("current_key", client["api_key"]?.array?.first?.object?.strings ?? [:]))
    if let package = name(client) {
      headers.set("X-Android-Package", package)
      let app = (client["oauth_client"]?.array ?? []).lazy.compactMap { $0["android_info"] }
        .first { $0["package_name"]?.string == package }
      if let hash = app?["certificate_hash"]?.string {
        headers.set("X-Android-Cert", hash.uppercased())
      }
    }
    if let app = client["client_info"]?["mobilesdk_app_id"]?.string {
      headers.set("X-Firebase-GMPID", app)
    }
    try checkHeaders()
  }

  private static func require(
    _ key: String, _ fields: [String: String]
  ) throws(Problem) -> String {
    if let value = fields[key], !value.isEmpty { return value }
    throw Problem(
      "it has no \(key)",
      hint: "download the app's configuration again, from the project's settings in the console")
  }

  /// Rejects control characters, because a line break in a value would start another header.
  private func checkHeaders() throws(Problem) {
    for field in headers.fields where field.value.utf8.contains(where: { $0 < 0x20 }) {
      throw Problem(
        "the value for the header \(field.name) holds a control character",
        hint: "download the app's configuration again")
    }
  }
}

extension JSONObject {
  /// The members with string values.
  fileprivate var strings: [String: String] {
    var strings: [String: String] = [:]
    for (key, value) in entries { strings[key] = value.string }
    return strings
  }
}
