import Glibc
@testable import HTTP
import Testing

@testable import SignIn
@testable import System

@Suite(.serialized, .timeLimit(.minutes(2))) struct ProcessSupervisorTests {
  /// A program under a warden, with a folder that its environment names.
  private final class Ward {
    let folder: String
    let supervisor: ProcessSupervisor

    init(_ program: String, _ arguments: [String]) throws {
      let folder = try PrivateFolder()
      self.folder = folder.path
      let output = open("\(folder.path)/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(output) }
      supervisor = try ProcessSupervisor(
        program: program, arguments: arguments,
        environment: ["WARD=\(folder.path)", "PATH=/usr/bin:/bin"], output: output,
        folder: folder.path)
    }

    convenience init(shell script: String) throws { try self.init("/bin/sh", ["-c", script]) }

    var output: String {
      RunningProcesses.contents(of: "\(folder)/output")
    }

    var isFolderThere: Bool { access(folder, F_OK) == 0 }
  }

  @Test func `all that came of a program ends with it`() throws {
    let ward = try Ward(
      shell: "sleep 600 & setsid sleep 600 & (setsid sh -c 'sleep 600 & exit 0'); echo up; wait")
    settles { ward.output == "up\n" && RunningProcesses.holding(ward.folder).count == 4 }
    #expect(ward.supervisor.state == .running)
    ward.supervisor.close()
    settles { ward.supervisor.isGone }
    #expect(RunningProcesses.holding(ward.folder).isEmpty)
    #expect(!ward.isFolderThere)
    #expect(ward.supervisor.state == .gone)
  }

  @Test func `a program inherits no signal settings and no descriptors`() throws {
    let ward = try Ward(
      shell:
        "grep -E '^Sig(Blk|Ign)' /proc/self/status | grep -o '.......$'; ls /proc/self/fd | tr '\\n' ' '; "
        // When it ends, its folder goes, and the output with it.
        + "exec sleep 600")
    settles { ward.output.hasSuffix("3 ") }
    // The signals from 1 to 28, as the C library ignores 32 and 33 on its own behalf. `ls` itself opens 3.
    #expect(ward.output == "0000000\n0000000\n0 1 2 3 ")
    ward.supervisor.close()
    settles { ward.supervisor.isGone }
  }

  @Test func `a program that will not end is ended`() throws {
    let ward = try Ward(shell: "trap '' TERM HUP INT; echo up; while :; do sleep 600; done")
    settles { ward.output == "up\n" }
    ward.supervisor.close()
    settles { ward.supervisor.isGone }
    #expect(RunningProcesses.holding(ward.folder).isEmpty)
  }

  @Test func `a supervisor that is let go without a word ends its program too`() throws {
    let folder: String
    do {
      let ward = try Ward(shell: "echo up; exec sleep 600")
      folder = ward.folder
      settles { ward.output == "up\n" }
    }
    settles { RunningProcesses.holding(folder).isEmpty && access(folder, F_OK) != 0 }
  }

  @Test func `a program that ends by itself is told, and its folder goes`() throws {
    let ward = try Ward(shell: "setsid sleep 600 & exit 3")
    settles { ward.supervisor.isGone }
    #expect(ward.supervisor.state == .ended(code: 3))
    #expect(RunningProcesses.holding(ward.folder).isEmpty)
    #expect(!ward.isFolderThere)
    let killed = try Ward(shell: "kill -9 $$")
    settles { killed.supervisor.isGone }
    #expect(killed.supervisor.state == .ended(code: 128 + 9))
  }

  @Test(arguments: [("/no/such/program", ENOENT), ("/etc/passwd", EACCES), ("/tmp", EACCES)])
  func `a program that cannot be started is told with the system's reason`(
    program: String, reason: Int32
  ) throws {
    let ward = try Ward(program, [])
    settles { ward.supervisor.isGone }
    #expect(
      ward.supervisor.state == .notStarted(SystemError(reason)))
    #expect(!ward.isFolderThere)
  }

  @Test func `a program has no input, no signals blocked and no descriptors of ours`() throws {
    let ours = open("/dev/null", O_RDONLY)
    defer { close(ours) }
    signal(SIGPIPE, SIG_IGN)
    let ward = try Ward(
      shell: "ls /proc/self/fd | tr '\\n' ' '; sed -n 's/Sig[BI].*:.//p' /proc/self/status; cat; "
        + "echo end; exec sleep 600")
    settles { ward.output.hasSuffix("end\n") }
    let lines = ward.output.split(separator: "\n").map(String.init)
    // The fourth is the folder that ls reads.
    #expect(lines.first == "0 1 2 3 0000000000000000")
    // Signals from 32 belong to the C library, which lets nobody change them.
    let ignored = try #require(lines.dropFirst().first.flatMap { UInt64($0, radix: 16) })
    #expect(ignored & 0x7FFF_FFFF == 0)
    ward.supervisor.close()
  }

  @Test func `one of many ends alone`() throws {
    let wards = try (0..<24).map { _ in try Ward(shell: "echo up; exec sleep 600") }
    settles { wards.allSatisfy { $0.output == "up\n" } }
    wards[7].supervisor.close()
    settles { wards[7].supervisor.isGone }
    for (index, ward) in wards.enumerated() where index != 7 {
      #expect(ward.supervisor.state == .running)
      ward.supervisor.close()
    }
    settles { wards.allSatisfy { $0.supervisor.isGone } }
    #expect(wards.allSatisfy { RunningProcesses.holding($0.folder).isEmpty && !$0.isFolderThere })
  }

  @Test func `wardens may be started by many threads at once`() async throws {
    let folders = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let ward = try Ward(shell: "echo up; exec sleep 600")
          settles { ward.output == "up\n" }
          ward.supervisor.close()
          settles { ward.supervisor.isGone }
          return ward.folder
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(folders.allSatisfy { RunningProcesses.holding($0).isEmpty })
  }

  @Test func `no zombie and no descriptor is left`() async {
    // In a process of its own, as other tests open files too.
    await #expect(processExitsWith: .success) {
      func keepAndEnd() throws {
        let ward = try Ward(shell: "exec sleep 600")
        ward.supervisor.close()
        settles { ward.supervisor.isGone }
      }
      // What is opened once and kept does not count.
      try keepAndEnd()
      let before = RunningProcesses.openFiles
      for _ in 0..<8 { try keepAndEnd() }
      settles { RunningProcesses.zombies(of: getpid()).isEmpty }
      settles { RunningProcesses.openFiles <= before }
    }
  }

  @Test func `links in the folder are removed and not followed`() throws {
    let outside = try PrivateFolder()
    defer { outside.remove() }
    close(open("\(outside.path)/kept", O_WRONLY | O_CREAT, 0o600))
    let ward = try Ward(
      shell:
        "mkdir -p $WARD/a/b/c; touch $WARD/a/b/c/d; ln -s \(outside.path) $WARD/a/link; echo up")
    settles { ward.supervisor.isGone }
    #expect(!ward.isFolderThere)
    #expect(access("\(outside.path)/kept", F_OK) == 0)
  }

  @Test func `a process that is killed leaves nothing running`() async throws {
    let death = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      let ward = try Ward(shell: "setsid sleep 600 & echo up; exec sleep 600")
      settles { ward.output == "up\n" }
      let line = "folder:\(ward.folder):\n"
      write(STDOUT_FILENO, line, line.utf8.count)
      kill(getpid(), SIGKILL)
    }
    let result = try #require(death)
    let text = String(decoding: result.standardOutputContent, as: UTF8.self)
    let folder = try #require(text.split(separator: ":").first { $0.hasPrefix("/") })
    settles {
      RunningProcesses.holding(String(folder)).isEmpty && access(String(folder), F_OK) != 0
    }
  }
}
