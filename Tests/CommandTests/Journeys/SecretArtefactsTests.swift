@testable import System
import Foundation
import Testing

/// Whatever a run writes, none of its secrets is in it.
@Suite(.timeLimit(.minutes(5)))
struct SecretArtefactsTests {
  /// Does all it can to have its secrets shown, and writes them down for the test.
  private static let journey = """
    local luath, journey = require "luath", require "luath.journey"
    local http, emulator = require "luath.http", require "luath.emulator"

    local function show(j, secret)
      local file = assert(io.open("known.txt", "a"))
      file:write(secret, "\\n")
      file:close()
      print("it is " .. secret)
      j:log("<" .. secret .. ">")
    end

    journey("shows everything", function(j)
      local ada = j.people:new { name = "Ada", password = "hunter2-pass" }
      show(j, "hunter2-pass")
      show(j, luath.secret "API_SECRET")
      show(j, j:secret "marked / s3cret?&=")
      local user = ada:signIn("google.com").user
      show(j, user:getIDToken())
      show(j, user.refreshToken)
      j:step("with " .. user.refreshToken, function()
        ada.user:updatePassword "another-s3cret"
      end)
      show(j, "another-s3cret")
      http.post(emulator.origin .. "/nowhere?key=an-unknown-key-1&code=co-de-0123", {
        headers = { Authorization = "Basic YWRhOnBhcjBsZS0x", Cookie = "sid=c00kie-value" },
        form = { password = "form-s3cret", note = "hunter2-pass" },
      })
      for _, secret in ipairs { "form-s3cret", "par0le-1", "an-unknown-key-1", "co-de-0123",
        "c00kie-value" } do
        show(j, secret)
      end
      show(j, "cl1ent-secret-of-google")
      local place = "hunter2-pass/cl1ent-secret-of-google"
      assert(load("local j = ... j:step('a place', function() end)", "@" .. place))(j)
      require("luath.expect").soft.equal("hunter2-pass", user.refreshToken)
      error { message = "hunter2-pass " .. user.refreshToken, where = place .. ":1" }
    end)
    """

  private static let project = """
    return {
      project = {
        providers = {
          password = {},
          ["google.com"] = { clientSecret = "cl1ent-secret-of-google" },
        },
        people = {},
      },
    }
    """

  @Test func `no artefact of a run full of secrets holds one of them`() async throws {
    let folder = try ScriptFolder([
      "secrets_journey.lua": Self.journey, "luath.lua": Self.project,
    ])
    let help = try await Luath(["test", "--help"], in: folder.url).ending().output
    var arguments = ["test", "--trace", "all"]
    for kind in ["pretty", "dot", "tap", "junit", "json", "html", "har", "github"]
    where help.contains("--report") && help.contains(kind) {
      arguments += ["--report", "\(kind):report.\(kind)"]
    }
    let ending = try await Luath(
      arguments, in: folder.url, environment: ["API_SECRET": "env-s3cret-value"]
    ).ending(within: 120)
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")

    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    let known = try String(contentsOf: folder.url.appending(path: "known.txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(known.count == 12)
    var artefacts = [("output", ending.output), ("errors", ending.errors)]
    for file in files where !["known.txt", "luath.lua", "secrets_journey.lua"].contains(file) {
      guard let data = try? Data(contentsOf: folder.url.appending(path: file)) else { continue }
      artefacts.append((file, String(decoding: data, as: UTF8.self)))
    }
    #expect(artefacts.count >= 2 + arguments.filter { $0 == "--report" }.count)
    #expect(ending.output.contains("[secret]"))
    for (name, text) in artefacts {
      for spelling in known.flatMap(Self.spellings) where text.contains(spelling) {
        Issue.record("\(name) holds \(spelling)")
      }
    }
  }

  private static func spellings(of secret: String) -> [String] {
    var spellings = [secret, PercentEncoding.encode(secret)]
    for before in ["", "a", "ab"] {
      // The digits at both ends are shared with what stands beside the secret.
      let digits = Base64.encode(Array((before + secret).utf8)).filter { $0 != "=" }
      if digits.count >= 14 { spellings.append(String(digits.dropFirst(4).dropLast())) }
    }
    return spellings
  }
}
