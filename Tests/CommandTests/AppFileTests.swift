@testable import System
@testable import HTTP
import Testing

@testable import Host
@testable import luath

/// The configurations of apps, as Firebase's console hands them out.
@Suite struct AppFileTests {
  private func read(_ text: String, package: String? = nil) throws(Problem) -> AppFile {
    try AppFile(Array(text.utf8), androidPackage: package)
  }

  private func problem(_ text: String, package: String? = nil) -> Problem? {
    do throws(Problem) {
      _ = try read(text, package: package)
      return nil
    } catch { return error }
  }

  private static let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <!-- the console's own words -->
      <key>CLIENT_ID</key><string>1-a.apps.googleusercontent.com</string>
      <key>API_KEY</key>
      <string>AIza-key &amp; &#65;&#x42;</string>
      <key>NESTED</key><dict><key>PROJECT_ID</key><string>wrong</string></dict>
      <key>PROJECT_ID</key><string>demo-apple</string>
      <key>BUNDLE_ID</key><string><![CDATA[com.example.app]]></string>
      <key>IS_ADS_ENABLED</key><false></false>
      <key>IS_SIGNIN_ENABLED</key><true/>
      <key>GOOGLE_APP_ID</key><string>1:1:ios:f</string>
    </dict>
    </plist>
    """

  @Test func `an Apple app's property list is read, and its app named to the key`() throws {
    for text in [Self.plist, "\u{FEFF}" + Self.plist] {
      let app = try read(text)
      #expect(app.projectID == "demo-apple")
      #expect(app.apiKey.reveal() == "AIza-key & AB")
      #expect(app.authDomain == nil)
      #expect(app.headers["X-Ios-Bundle-Identifier"] == "com.example.app")
      #expect(app.headers["X-Firebase-GMPID"] == "1:1:ios:f")
    }
  }

  @Test func `a property list cut anywhere is refused, never read halfway`() {
    let end = Self.plist.utf8.count - "</plist>".utf8.count
    for length in 1...end {
      let bytes = Array(Self.plist.utf8.prefix(length))
      #expect(throws: Problem.self, "\(length) bytes") { try AppFile(bytes) }
    }
  }

  @Test(arguments: [
    ("bplist00\u{1}", "plutil"), ("<plist><dict><key>API_KEY</key></plist>", "download"),
    ("<!DOCTYPE x [<!ENTITY a \"b\">]><plist><dict></dict></plist>", "download"),
    ("<plist><dict><key>PROJECT_ID</key><string>&a;</string></dict></plist>", "download"),
    ("<plist><dict><key>PROJECT_ID</key><string>p</string></dict></plist>", "download"),
    ("<plist><dict></dict></plist>", "download"), ("", "GoogleService-Info.plist"),
    ("API_KEY=AIza", "GoogleService-Info.plist"), ("{}", "download"), ("[1]", "google-services"),
    (#"{"type":"service_account","private_key":"secret"}"#, "luath.admin"),
    (#"{"apiKey":"AIza"}"#, "download"), (#"{"apiKey":7,"projectId":"p"}"#, "download"),
    (#"{"project_info":{"project_id":"p"},"client":[]}"#, "download"),
    ("const firebaseConfig = { apiKey: \"AIza\",", "firebaseConfig"),
    ("{ \"apiKey\": \"AIza\\n", "firebaseConfig"),
    (
      "{\"apiKey\":\"AIza\\u000d\\u000aX: y\",\"projectId\":\"p\",\"appId\":\"a\\u000ab\"}",
      "download"
    ),
  ])
  func `another file is refused with what to do, and quoted nowhere`(_ text: String, _ hint: String)
  {
    let error = problem(text)
    #expect(error?.hint.contains(hint) == true, "\(String(describing: error))")
    #expect(error?.message.contains("AIza") == false)
    #expect(error?.message.contains("secret") == false)
  }

  private static func android(_ packages: String...) -> String {
    let clients = packages.map {
      """
      {"client_info":{"mobilesdk_app_id":"1:1:android:\($0)",
        "android_client_info":{"package_name":"\($0)"}},
       "oauth_client":[{"client_id":"c","client_type":3},
        {"client_id":"c","client_type":1,
         "android_info":{"package_name":"\($0)","certificate_hash":"ab12"}}],
       "api_key":[{"current_key":"key-of-\($0)"}]}
      """
    }
    return """
      {"project_info":{"project_number":"1","project_id":"demo-android"},
       "client":[\(clients.joined(separator: ","))],"configuration_version":"1"}
      """
  }

  @Test func `an Android app's file names package and certificate to the key`() throws {
    let app = try read(Self.android("com.example.one"))
    #expect(app.projectID == "demo-android")
    #expect(app.apiKey.reveal() == "key-of-com.example.one")
    #expect(app.headers["X-Android-Package"] == "com.example.one")
    #expect(app.headers["X-Android-Cert"] == "AB12")
  }

  @Test func `of several Android apps one is chosen by its package`() throws {
    let text = Self.android("com.example.one", "com.example.two")
    #expect(problem(text)?.hint.contains("com.example.one, com.example.two") == true)
    let app = try read(text, package: "com.example.two")
    #expect(app.apiKey.reveal() == "key-of-com.example.two")
    #expect(problem(text, package: "com.example.three")?.message.contains("three") == true)
  }

  @Test(arguments: [
    #"{"apiKey":"K","authDomain":"auth.example","projectId":"demo-web","appId":"1:1:web:a"}"#,
    #"{"status":"success","result":{"sdkConfig":{"apiKey":"K","authDomain":"auth.example","projectId":"demo-web","appId":"1:1:web:a"}}}"#,
    """
    // Import the functions you need from the SDKs you need
    import { initializeApp } from "firebase/app";
    /* firebaseConfig is for { apiKey: "another" } */
    const firebaseConfig = {
      apiKey: "K", // the web key
      'authDomain': 'auth.example',
      "projectId": `demo-web`,
      nested: { apiKey: "no", list: [1, "}"] }, messagingSenderId: 12,
      appId: "1:1:web:a",
    };
    const app = initializeApp(firebaseConfig);
    """,
    "firebase.initializeApp({apiKey:\"K\",authDomain:\"auth.example\",projectId:\"demo-web\",appId:\"1:1:web:a\"});",
    "{ apiKey: 'K', authDomain: 'auth.example', projectId: 'demo-web', appId: '1:1:web:a' }",
  ])
  func `a web app's configuration is read as JSON and as JavaScript`(_ text: String) throws {
    let app = try read(text)
    #expect(app.projectID == "demo-web")
    #expect(app.apiKey.reveal() == "K")
    #expect(app.authDomain == "auth.example")
    #expect(app.headers["Referer"] == "https://auth.example/")
    #expect(app.headers["X-Firebase-GMPID"] == "1:1:web:a")
  }

  @Test(arguments: ["127.0.0.1:9099", "[::1]:9099", "emulator.example:80"])
  func `an emulator is anywhere but at Google`(_ text: String) {
    guard case .address(let url) = EmulatorAddress(text) else {
      Issue.record("\(text) was refused")
      return
    }
    #expect(url.scheme == "http")
    for wrong in [
      "identitytoolkit.googleapis.com:80", "identitytoolkit.googleapis.com.:80",
      "demo.firebaseapp.com:443", text + "/x", "a",
    ] {
      guard case .wrong = EmulatorAddress(wrong) else {
        Issue.record("\(wrong) was taken")
        return
      }
    }
  }
}
