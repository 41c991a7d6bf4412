@testable import System
import Foundation
import Testing

@Suite struct AtomicFileTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID().uuidString)")
      .path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func text(_ name: String) -> String? {
      try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
  }

  @Test func `a file appears and replaces another when it is complete, and not before`() throws {
    let folder = try Folder()
    for text in ["first", "second", String(repeating: "x", count: 200_000)] {
      let before = folder.text("a")
      let file = try AtomicFile("\(folder.path)/a")
      try file.write(Array(text.utf8))
      #expect(folder.text("a") == before)
      try file.finish()
      try file.finish()
      #expect(folder.text("a") == text)
      #expect(try folder.names == ["a"])
    }
    var facts = stat()
    #expect(stat("\(folder.path)/a", &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o600)
  }

  @Test func `a file that is given up leaves nothing behind`() throws {
    let folder = try Folder()
    try AtomicFile.write([0x61], to: "\(folder.path)/a")
    do {
      let file = try AtomicFile("\(folder.path)/a")
      try file.write([UInt8](repeating: 0x62, count: 100_000))
    }
    let file = try AtomicFile("\(folder.path)/b")
    file.abandon()
    #expect(throws: SystemError(EBADF)) { try file.finish() }
    #expect(try folder.names == ["a"])
    #expect(folder.text("a") == "a")
  }

  @Test func `a link is replaced, not followed, and a folder is an error`() throws {
    let folder = try Folder()
    try AtomicFile.write([0x61], to: "\(folder.path)/a")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/a")
    try AtomicFile.write([0x62], to: "\(folder.path)/link")
    #expect(folder.text("a") == "a")
    #expect(folder.text("link") == "b")
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/c", withIntermediateDirectories: true)
    #expect(throws: SystemError(EISDIR)) {
      try AtomicFile.write([0x63], to: "\(folder.path)/c")
    }
    #expect(throws: SystemError(ENOENT)) {
      try AtomicFile.write([0x63], to: "\(folder.path)/none/c")
    }
    #expect(try folder.names == ["a", "c", "link"])
  }

  @Test func `no other part of the source puts a file in the place of another`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var renaming: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      if text.contains(/\brename(at)?\(/) { renaming.insert(file.lastPathComponent) }
    }
    // An export exchanges whole folders, and synchronizes each file and folder itself.
    #expect(renaming == ["AtomicFile.swift", "OpenFolder.swift"])
  }
}
