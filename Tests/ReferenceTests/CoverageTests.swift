import Foundation
import Reference
import Testing

/// Whether everything is described, and nothing that is not there.
@Suite struct CoverageTests {
  /// Entries that say all in one line: other spellings of other entries are left out.
  private static func entries() async throws -> [ReferenceEntry] {
    try await Catalogue.make().pages.flatMap(\.entries).filter { $0.current == nil }
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
    let catalogue = try await Catalogue.make()
    for (module, names) in Catalogue.namesInTexts {
      let known = Set(catalogue.pages.flatMap(\.entries).map(\.fullName))
      for name in names {
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
    for code in codes {
      #expect(
        sources.contains("case \(code)\n") || sources.contains("case \(code) ")
          || sources.contains("\"\(code)\""), "no error has the code \(code)")
    }
  }
}
