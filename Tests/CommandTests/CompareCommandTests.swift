@testable import System
import Foundation
@testable import HTTP
import Testing

/// `luath compare` as a process, against an emulator of another process.
@Suite(.timeLimit(.minutes(3))) struct CompareCommandTests {
  /// Starts an emulator; gives its address.
  private func emulator(
    _ options: [String], in folder: ScriptFolder
  ) async throws -> (luath: Luath, address: String) {
    let luath = try Luath(["emulator", "--port", "0"] + options, in: folder.url)
    let line = try #require(await luath.line(with: "serving "))
    let address = try #require(line.split(separator: "/").last.map(String.init))
    return (luath, address)
  }

  private func accounts(at address: String) async throws -> [JSON] {
    let loop = try EventLoop(name: "ask")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let path = "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchGet"
    let url = try #require(WebURL("http://\(address)\(path)?maxResults=1000"))
    let response = try await LoopActor(loop).run { (actor: isolated LoopActor) async throws in
      try await HTTPClient(loop: actor.loop).send(
        HTTPRequest(url: url, headers: ["Authorization": "Bearer owner"]))
    }
    return try response.json()["users"]?.array ?? []
  }

  @Test func `Ctrl-C ends it in good order, and its accounts are gone`() async throws {
    let folder = try ScriptFolder()
    // The emulator shows the first link, which is the sign that the comparison is at work.
    let (emulator, address) = try await emulator(["--fault", "latency=20ms"], in: folder)
    let compare = try Luath(
      ["compare", "--target", address, "--with", "compatible", "--only", "codes/*"], in: folder.url)
    _ = try #require(await emulator.line(with: "follow this link"))
    // GNU timeout signals its child, then the child's group.
    compare.send(SIGINT)
    compare.send(SIGINT)
    let ending = await compare.ending()
    #expect(ending.code == 130, "\(ending.errors)")
    #expect(ending.output.contains("interrupted\n"))
    #expect(ending.errors.contains("luath: ending; the accounts of this run are being deleted\n"))
    #expect(try await accounts(at: address).isEmpty)
    emulator.send(SIGTERM)
    #expect(await emulator.ending().code == 0)
  }

  @Test func `its reports say the same, without secrets, and its recording can be replayed`()
    async throws
  {
    let folder = try ScriptFolder()
    let (emulator, address) = try await emulator(["--rules", "production", "--quiet"], in: folder)
    let compare = try Luath(
      [
        "compare", "--target", address, "--with", "compatible", "--only", "tokens/*", "--json",
        "report.json", "--html", "report.html", "--record", "recorded",
      ], in: folder.url)
    let ending = await compare.ending(within: 100)
    #expect(ending.code == 1, "\(ending.errors)")
    let text = try String(contentsOf: folder.url.appending(path: "report.json"), encoding: .utf8)
    let report = try JSON.parse(text)
    let different = try #require(report["counts"]?["different"]?.integer)
    #expect(different > 0)
    #expect(ending.output.contains("\(different) different"))
    #expect(report["with"]?["name"] == "compatible rules")
    #expect(report["target"]?["left"] == [])
    let page = try String(contentsOf: folder.url.appending(path: "report.html"), encoding: .utf8)
    #expect(page.contains("<!DOCTYPE html>") && page.contains("luath compare"))
    var shown = text + page + ending.output
    let files = FileManager.default.enumerator(
      at: folder.url.appending(path: "recorded"), includingPropertiesForKeys: nil)
    var recorded = 0
    for case let file as URL in files ?? .init() where file.pathExtension == "json" {
      shown += try String(contentsOf: file, encoding: .utf8)
      recorded += 1
    }
    #expect(recorded > 20)
    // Tokens begin so in base64.
    #expect(!shown.contains("eyJhbGciOi"))
    let prefix = try #require(ending.errors.firstMatch(of: /luath-compare-[a-z0-9]{8}/)).output
    #expect(!shown.contains(prefix))
    let player = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Conformance/replay.py")
    let replay = try Luath(
      ["-c", "python3 '\(player.path)' http://\(address) recorded"], in: folder.url,
      program: "/bin/sh")
    let replayed = await replay.ending(within: 100)
    #expect(replayed.code == 0, "\(replayed.output.suffix(3000))\(replayed.errors)")
    emulator.send(SIGTERM)
    _ = await emulator.ending()
  }

  @Test func `progress is shown on a terminal, also before the first scenario has ended`()
    async throws
  {
    let folder = try ScriptFolder()
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, &size) == 0)
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    let process = Process()
    process.executableURL = Luath.products.appending(path: "luath")
    process.arguments = ["compare", "--target", "emulator", "--only", "passwords/wrong password"]
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = terminal
    try process.run()
    try? terminal.close()
    let screen = master
    let shown = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(screen, &buffer, buffer.count), count > 0 {
          shown += buffer[..<count]
        }
        close(screen)
        process.waitUntilExit()
        continuation.resume(returning: String(decoding: shown, as: UTF8.self))
      }
    }
    #expect(process.terminationStatus == 0)
    #expect(shown.contains("examining emulator and production rules"))
    #expect(shown.contains("0 of 1 scenarios"))
    withExtendedLifetime(folder) {}
  }

  @Test func `a server that loses answers is reported with what it may have kept`() async throws {
    let folder = try ScriptFolder()
    let (emulator, address) = try await emulator(
      ["--quiet", "--fault", "signUp:drop=100%,lookup:drop=100%"], in: folder)
    let compare = try Luath(
      ["compare", "--target", address, "--only", "sign-up/*"], in: folder.url)
    let ending = await compare.ending(within: 100)
    #expect(ending.code == 4, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("did not respond 3 times in a row"))
    #expect(ending.output.contains("left behind on \(address):"))
    for account in try await accounts(at: address) {
      let uid = try #require(account["localId"]?.string)
      let email = account["email"]?.string ?? "no address"
      #expect(ending.output.contains(uid) || ending.output.contains(email), "\(account.encoded())")
    }
    emulator.send(SIGTERM)
    _ = await emulator.ending()
  }
}
