@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LegacyPathTests {
  private static let path = "www.googleapis.com/identitytoolkit/v3/relyingparty"

  private func post(
    _ emulator: Fixture, _ name: String, _ body: JSON, isAdmin: Bool = true
  ) async throws -> Fixture.Reply {
    try await emulator.post(
      "\(Self.path)/\(name)", body, key: isAdmin ? nil : "k",
      headers: isAdmin ? ["Authorization": "Bearer owner"] : [:])
  }

  @Test func `imports and exports name their project in the body`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let project: JSON = "demo-luath"
      let up = try await post(
        emulator, "uploadAccount",
        ["targetProjectId": project, "users": [["localId": "a"], ["localId": "b"]]])
      #expect(up["error"] == [])
      let down = try await post(
        emulator, "downloadAccount", ["targetProjectId": project, "maxResults": 1])
      #expect(down["users"]?.array?.count == 1)
      #expect(down["nextPageToken"] == "a")
      for name in ["uploadAccount", "downloadAccount"] {
        #expect(try await post(emulator, name, [:]).message == "INSUFFICIENT_PERMISSION")
      }
      let client = try await post(
        emulator, "downloadAccount", ["targetProjectId": project], isAdmin: false)
      #expect(
        client.message
          == "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
    }
  }

  @Test func `what never moved on is not there`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let out = try await post(emulator, "signOutUser", [:])
      #expect(out.status == 501)
      #expect(out.message == "signOutUser is not implemented in the Auth Emulator.")
      for name in ["setProjectConfig", "publicKeys"] {
        let status = try await emulator.request("GET", "\(Self.path)/\(name)").status
        #expect(status == 404)
      }
    }
  }

  @Test func `an emulator of a single project refuses the others`() async throws {
    try await Fixture.run(rules: .compatible, isSingleProject: true) { emulator in
      let own = try await emulator.asAdmin("GET", "v2/projects/demo-luath/config")
      #expect(own.status == 200)
      for path in [
        "identitytoolkit.googleapis.com/v2/projects/else/config",
        "emulator/v1/projects/else/config",
      ] {
        let other = try await emulator.request(
          "GET", path, headers: ["Authorization": "Bearer owner"])
        #expect(other.status == 400)
        #expect(
          other.message.hasPrefix(
            "Multiple projectIds are not recommended in single project mode. Requested project ID "
              + "else, but the emulator is configured for demo-luath."))
      }
    }
  }

  @Test func `the description of the API names every message it refers to`() async throws {
    try await Fixture.run { emulator in
      let document = try await emulator.request("GET", "emulator/openapi.json").json
      #expect(document["openapi"] == "3.0.0")
      let schemas = try #require(document["components"]?["schemas"]?.object)
      var references: [String] = []
      func collect(_ json: JSON) {
        if let text = json["$ref"]?.string { references.append(text) }
        for (_, value) in json.object?.entries ?? [] { collect(value) }
        for value in json.array ?? [] { collect(value) }
      }
      collect(document)
      #expect(references.count > 100)
      for reference in references {
        #expect(schemas[String(reference.dropFirst("#/components/schemas/".count))] != nil)
      }
      let path =
        "/identitytoolkit.googleapis.com/v1/projects/{targetProjectId}/accounts:batchCreate"
      let operation = document["paths"]?[path]?["post"]
      #expect(operation?["operationId"] == "identitytoolkit.projects.accounts.batchCreate")
      for (method, path, name) in [
        (
          "delete", "projects/{targetProjectId}/tenants/{tenantId}/accounts",
          "projects.accounts.delete"
        ),
        ("patch", "projects/{targetProjectId}/config", "projects.config.update"),
        ("get", "projects/{targetProjectId}/oobCodes", "projects.oobCodes.list"),
        ("patch", "clock", "clock.advance"),
      ] {
        let control = document["paths"]?["/emulator/v1/\(path)"]?[method]
        #expect(control?["operationId"] == .string("emulator.\(name)"))
        #expect(control?["security"] == [])
      }
      // Every path and method of the emulator's own that the description names is there.
      for (path, methods) in document["paths"]?.object?.entries ?? []
      where path.hasPrefix("/emulator/v1/") {
        let real = path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : $0 }
          .joined(separator: "/")
        let refused = try await emulator.exchange(
          HTTPRequest(
            method: "TRACE", url: try #require(WebURL("\(emulator.origin)/\(real)"))))
        #expect(refused.status == 405)
        let allowed = refused.headers["Allow"]?.split(separator: ",").map {
          $0.filter { $0 != " " }
        }
        for method in methods.object?.keys ?? [] {
          #expect(allowed?.contains(method.uppercased()) == true, "\(method) \(path)")
        }
      }
    }
  }
}
