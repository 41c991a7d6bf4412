import Foundation
import Testing

/// Project files that are found: whose they are, and who else could have laid them there.
///
/// Files of other users can only be made as root.
@Suite(.timeLimit(.minutes(1)), .enabled(if: geteuid() == 0)) struct FoundFileTests {
  private static let stranger: UInt32 = 12_345
  private static let files = [
    "luath.lua": #"return { project = { id = "demo-found" } }"#,
    "work/who.lua": #"print(require("luath.host").projectID)"#,
  ]

  /// Runs the script from its folder, below that of the project file.
  private func found(
    _ options: [String] = [], in place: String = "work", environment: [String: String] = [:],
    _ change: (ScriptFolder) throws -> Void
  ) async throws -> Luath.Ending {
    let folder = try ScriptFolder(Self.files)
    chmod(folder.url.path, 0o755)
    try change(folder)
    let script = place == "work" ? "who.lua" : "work/who.lua"
    return try await Luath(
      ["run"] + options + [script], in: folder.url.appending(path: place), environment: environment
    ).ending()
  }

  private func expectRefusal(_ ending: Luath.Ending, _ words: String) {
    #expect(ending.code == 3)
    #expect(
      ending.errors.contains("/luath.lua was found and is not used: \(words)"), "\(ending.errors)")
    #expect(ending.errors.contains("--project /"), "\(ending.errors)")
  }

  @Test func `the user's own project file above is used`() async throws {
    #expect(try await found { _ in }.output == "demo-found\n")
  }

  @Test func `another user's file is refused above, unless an option names it`() async throws {
    func give(_ folder: ScriptFolder) {
      chown(folder.url.appending(path: "luath.lua").path, Self.stranger, 0)
    }
    expectRefusal(try await found([], give), "it belongs to another user (12345)")
    let named = try await found(["--project", "../luath.lua"], give)
    #expect(named.output == "demo-found\n")
    let caller = try await found(environment: ["SUDO_UID": "12345"], give)
    #expect(caller.output == "demo-found\n")
  }

  @Test func `a file is refused when others can write it or its folders`() async throws {
    expectRefusal(
      try await found { chmod($0.url.appending(path: "luath.lua").path, 0o666) },
      "others can write it")
    expectRefusal(try await found { chmod($0.url.path, 0o777) }, "others can write its folder /")
    expectRefusal(
      try await found { chown($0.url.path, Self.stranger, 0) }, "its folder /")
    // As in /tmp: others can lay files there, and not replace this one.
    #expect(try await found { chmod($0.url.path, 0o1777) }.output == "demo-found\n")
  }

  @Test func `another user's link is refused`() async throws {
    let ending = try await found { folder in
      let path = folder.url.appending(path: "luath.lua").path
      rename(path, folder.url.appending(path: "other.lua").path)
      symlink("other.lua", path)
      lchown(path, Self.stranger, 0)
    }
    expectRefusal(ending, "it belongs to another user (12345)")
  }

  @Test func `a checkout of another user is used from its own folder`() async throws {
    let ending = try await found(in: ".") { folder in
      for path in ["", "luath.lua", "work", "work/who.lua"] {
        chown(folder.url.appending(path: path).path, Self.stranger, 0)
      }
    }
    #expect(ending.output == "demo-found\n", "\(ending.errors)")
    // Somebody else's file in a shared folder is not that of the folder's owner.
    let laid = try await found(in: ".") { folder in
      chmod(folder.url.path, 0o1777)
      chown(folder.url.appending(path: "luath.lua").path, Self.stranger, 0)
    }
    expectRefusal(laid, "it belongs to another user (12345)")
  }

  @Test func `the configuration of an app that is found is judged in the same way`() async throws {
    let ending = try await found(["--target", "firebase"]) { folder in
      let app = #"{ "apiKey": "k", "projectId": "shop-evil" }"#
      try folder.add("firebase-config.json", Array(app.utf8))
      chown(folder.url.appending(path: "firebase-config.json").path, Self.stranger, 0)
    }
    #expect(ending.code == 3)
    #expect(
      ending.errors.contains("firebase-config.json was found and is not used"), "\(ending.errors)")
    #expect(ending.errors.contains("--config /"), "\(ending.errors)")
  }
}
