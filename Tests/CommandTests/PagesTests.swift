import Foundation
import Testing

/// `--pages` keeps what sign-ins showed, and nothing that must not be kept.
@Suite(.timeLimit(.minutes(2))) struct PagesTests {
  @Test func `nothing secret is in any file, in no spelling`() async throws {
    let (luath, folder) = try start(luaProgram("Pages"), ["--pages", "kept/pages"])
    let ending = await luath.ending()
    #expect(ending.code == 0, "\(ending.errors)")
    var secrets = ["luath-demo", "Wrong-Horse+7"]
    for line in ending.output.split(separator: "\n") {
      guard let address = URLComponents(string: String(line)) else { continue }
      let query = (address.percentEncodedQuery ?? "") + "&" + (address.percentEncodedFragment ?? "")
      for pair in query.split(separator: "&") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, ["code", "state", "nonce", "id_token", "flow"].contains(halves[0])
        else { continue }
        secrets.append(String(halves[1]).removingPercentEncoding ?? "")
      }
    }
    #expect(secrets.count > 10)
    let root = folder.url.appending(path: "kept/pages").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: root)
    #expect(names.filter { $0.hasSuffix("index.json") }.count == 12)
    #expect(names.filter { $0.hasSuffix(".html") }.count >= 16)
    for name in names {
      let facts = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
      let isFolder = facts[.type] as? FileAttributeType == .typeDirectory
      #expect(facts[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600))
      guard let data = FileManager.default.contents(atPath: "\(root)/\(name)"), !isFolder else {
        continue
      }
      let text = String(decoding: data, as: UTF8.self)
      for secret in secrets {
        let spellings = [
          secret, secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "",
          Data(secret.utf8).base64EncodedString(),
        ]
        for spelling in spellings where spelling.utf8.count > 3 {
          #expect(!text.contains(spelling), "\(name) holds a secret as \(spelling)")
        }
      }
    }
    let saved = ending.output.split(separator: "\n").filter { $0.hasPrefix("saved") }
    for line in saved {
      let path = String(line.dropFirst(6))
      #expect(FileManager.default.fileExists(atPath: path), "\(path)")
    }
  }

  @Test func `a folder that cannot be written costs a warning and no sign-in`() async throws {
    let ending = try await run(
      "local Auth = require 'luath.auth' for _ = 1, 2 do "
        + "print(Auth.session():signIn(Auth.OAuthProvider 'microsoft.com').user.email) end",
      "--pages", "/proc/nowhere")
    #expect(ending.code == 0)
    #expect(ending.output == "ada@contoso.example\nada@contoso.example\n")
    #expect(
      ending.errors.components(separatedBy: "luath: warning: pages cannot be kept").count == 2)
    #expect(ending.errors.contains("hint: free some disk space"))
  }

  @Test func `without the option nothing is kept, and the hint tells of it`() async throws {
    let ending = try await run(
      """
      local Auth, ui = require "luath.auth", require "luath.ui"
      local google = Auth.OAuthProvider "google.com"
      google:getCredential(ui.form { username = "ada@contoso.example" })
      """)
    #expect(ending.code == 1)
    #expect(ending.errors.contains("--pages FOLDER keeps the page"), "\(ending.errors)")
  }

  @Test func `an empty folder name is a mistake of the command line`() async throws {
    #expect(try await run("print(1)", "--pages", "").code == 2)
  }
}
