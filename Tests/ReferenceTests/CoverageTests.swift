@testable import System
import Foundation
@testable import HTTP
@testable import IdentityToolkit
@testable import Lua
@testable import Host
import Testing

@testable import Reference

/// Whether everything is described, and nothing that is not there.
@Suite struct CoverageTests {
  /// Entries that say all in one line: other spellings of other entries are left out.
  private static func entries() async throws -> [ReferenceEntry] {
    try await Catalogue.shared.pages.flatMap(\.entries).filter { $0.current == nil }
  }

  @Test func `everything has a purpose, in one sentence`() async throws {
    for entry in try await Self.entries() {
      #expect(entry.summary.hasSuffix("."), "\(entry.fullName): \(entry.summary)")
    }
  }

  @Test func `every argument has a type and words`() async throws {
    for entry in try await Self.entries() {
      for parameter in entry.parameters {
        check(parameter, entry.fullName)
      }
    }
  }

  private func check(_ value: ReferenceEntry.Value, _ place: String) {
    #expect(!value.type.isEmpty, "\(place): \(value.name)")
    #expect(!value.summary.isEmpty, "\(place): \(value.name) has no words")
    for field in value.fields { check(field, "\(place): \(value.name)") }
  }

  @Test func `every function has an example, and says what it gives`() async throws {
    for entry in try await Self.entries() where [.function, .method].contains(entry.kind) {
      #expect(!entry.example.isEmpty, "\(entry.fullName) has no example")
      for result in entry.results {
        #expect(!result.type.isEmpty, "\(entry.fullName)")
      }
    }
  }

  @Test func `a text that names no function is found`() async throws {
    let catalogue = try await Catalogue.shared
    let known = Set(catalogue.pages.flatMap(\.entries).map(\.fullName))
    for module in Surface.documentedModules + LibraryPart.all.map(\.module) {
      let text = PageText(Texts.text(of: module))
      let functions = text.members.filter { $0.name != "__call" }.map { "\(module).\($0.name)" }
      let methods = text.classes.flatMap { type in type.methods.map { "\(type.name):\($0.name)" } }
      for name in functions + methods {
        #expect(known.contains(name), "the texts of \(module) name \(name), which is not there")
      }
    }
  }

  @Test func `every code of an error is one that luath raises`() async throws {
    var sources = ""
    for folder in ["Sources", "stdlib"] {
      let files = FileManager.default.enumerator(
        at: Program.root.appending(path: folder), includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init()
      where ["swift", "lua"].contains(file.pathExtension) && !file.path.contains("/Reference/") {
        sources += try String(contentsOf: file, encoding: .utf8)
      }
    }
    let codes = Set(try await Self.entries().flatMap(\.errors).map(\.name))
    #expect(codes.count > 60)
    for code in codes where ErrorCode(rawValue: code) == nil {
      #expect(
        sources.contains("case \(code)\n") || sources.contains("case \(code) ")
          || sources.contains("\"\(code)\""), "no error has the code \(code)")
    }
  }

  @Test func `what a declaration says it gives has a type, and nothing else has`() async throws {
    let catalogue = try await Catalogue.shared
    let declared = try await Self.declared()
    #expect(declared.count > 190)
    for (name, returns) in declared {
      let entry = try #require(catalogue.entries(named: name).first, "\(name)")
      #expect(entry.results.isEmpty == returns.isEmpty, "\(name) gives \(returns)")
    }
  }

  /// The functions of the host by their full names, with what each says it gives.
  private static func declared() async throws -> [(name: String, returns: String)] {
    let loop = try EventLoop(name: "declared")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    return await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
      defer { interpreter.close() }
      return Surface.documentedModules.compactMap { interpreter.surface.module($0) }.flatMap {
        module in
        module.declarations.map { ("\(module.name).\($0.name)", $0.returns) }
          + module.classes.flatMap { type, methods in
            methods.map { ("\(type.name):\($0.name)", $0.returns) }
          }
      }
    }
  }
}
