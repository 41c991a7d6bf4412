@testable import System
import Foundation
import Synchronization
import Testing

@testable import Storage

/// What protects the connection to a PostgreSQL server, above all the password.
@Suite(.timeLimit(.minutes(1))) struct PostgresProtectionTests {
  private func protection(
    _ values: [String: String], _ environment: [String: String] = [:], version: Int32 = 150_000
  ) -> PostgresProtection {
    PostgresProtection(
      values, { environment[$0] }, version: version, hasOwnRoots: false, systemRoots: "/roots.pem")
  }

  private func mode(_ values: [String: String], _ environment: [String: String] = [:]) -> String? {
    protection(values, environment).defaults.first { $0.name == "sslmode" }?.value
  }

  @Test func `a server elsewhere must prove who it is, unless the user says otherwise`() {
    #expect(mode(["host": "db.example"]) == "verify-full")
    #expect(mode(["hostaddr": "10.0.0.5"]) == "verify-full")
    #expect(mode(["host": "db.example", "hostaddr": "127.0.0.1"]) == "verify-full")
    #expect(mode(["host": "localhost,db.example"]) == "verify-full")
    #expect(mode([:], ["PGHOST": "db.example"]) == "verify-full")
    #expect(mode(["host": "db.example", "sslmode": "require"]) == nil)
    #expect(mode(["host": "db.example"], ["PGSSLMODE": "disable"]) == nil)
    for host in ["localhost", "127.0.0.1", "::1", "/run/postgresql", "localhost,127.0.0.1"] {
      #expect(mode(["host": host]) == nil, "\(host)")
    }
    #expect(mode([:]) == nil)
  }

  @Test func `the system's authorities count where the user has none for PostgreSQL`() {
    #expect(protection(["host": "db.example"]).defaults.last?.value == "/roots.pem")
    let own = protection(["host": "db.example"], ["PGSSLROOTCERT": "/own.pem"])
    #expect(own.defaults.map(\.name) == ["sslmode"])
  }

  @Test(arguments: ["prefer", "allow"])
  func `where TLS may be refused, libpq is kept from sending the password then`(_ mode: String) {
    let values = ["host": "db.example", "sslmode": mode]
    #expect(protection(values).attempts.map { $0.map(\.value) } == [["require"]])
    let newer = protection(values, version: 160_000)
    #expect(newer.attempts.map { $0.map(\.value) } == [["require"], ["disable", "!password"]])
  }

  /// Refuses TLS, asks for the password in clear text, and keeps all that it is sent.
  private final class Thief: Sendable {
    let port: UInt16
    private let listener: Int32
    private let heard = Mutex<[UInt8]>([])

    var received: String { String(decoding: heard.withLock(\.self), as: UTF8.self) }

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      self.listener = listener
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
            && getsockname(listener, pointer, &length) == 0
        }
      }
      try #require(isOpen)
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread { [self] in serve() }
    }

    private func serve() {
      while case let client = accept(listener, nil, nil), client >= 0 {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(client, &buffer, buffer.count), count > 0 {
          heard.withLock { $0 += buffer[..<count] }
          let isTLS = count == 8 && buffer[4..<8].elementsEqual([0x04, 0xD2, 0x16, 0x2F])
          let answer: [UInt8] =
            isTLS ? [UInt8(ascii: "N")] : [UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 3]
          _ = write(client, answer, answer.count)
        }
        close(client)
      }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  @Test(arguments: ["", "&sslmode=prefer", "&sslmode=allow", "&sslmode=require"])
  func `a server that refuses TLS does not get the password in clear text`(_ mode: String)
    async throws
  {
    let thief = try Thief()
    defer { thief.stop() }
    let url = "postgres://ada:hunter2hunter2@db.example:\(thief.port)/d?hostaddr=127.0.0.1\(mode)"
    let problem = await #expect(throws: QueueProblem.self) {
      try await PostgresServer.look(at: Secret(url))
    }
    #expect(problem?.code == .unavailable)
    #expect(!thief.received.contains("hunter2"), "\(problem?.message ?? "")")
    // It was asked for TLS; whether it heard of the user is nothing to hide.
    #expect(!thief.received.isEmpty)
  }
}
