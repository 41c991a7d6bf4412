import Glibc
import Testing

/// What runs on this machine, as /proc shows it.
enum RunningProcesses {
  /// The processes that have a text in their command line or their environment.
  static func holding(_ text: String) -> [RunningProcess] {
    names(in: "/proc").compactMap { pid_t($0) }.filter { $0 != getpid() }
      .map { RunningProcess(id: $0) }
      .filter { $0.commandLine.contains(text) || $0.environment.contains(text) }
  }

  /// The processes of a session (setsid(2)), without those that only wait to be waited for.
  static func inSession(_ leader: pid_t) -> [pid_t] {
    names(in: "/proc").compactMap { pid_t($0) }.filter { getsid($0) == leader }
      .filter { !contents(of: "/proc/\($0)/stat").contains(") Z ") }
  }

  /// The children of a process that ended and that it has not waited for.
  static func zombies(of parent: pid_t) -> [pid_t] {
    names(in: "/proc/\(parent)/task").flatMap { thread in
      contents(of: "/proc/\(parent)/task/\(thread)/children").split(separator: " ")
    }.compactMap { pid_t($0) }.filter {
      contents(of: "/proc/\($0)/stat").contains(") Z ")
    }
  }

  /// How many descriptors this process has.
  static var openFiles: Int { names(in: "/proc/self/fd").count }

  /// How many connections of this machine lead to a port.
  static func connections(toPort port: Int) -> Int {
    let digits = String(port, radix: 16, uppercase: true)
    let ending = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var count = 0
    for line in contents(of: "/proc/net/tcp").split(separator: "\n") {
      let fields = line.split(separator: " ")
      // The remote address, then the state, where 01 is an established connection (proc(5)).
      if fields.count > 3, fields[2].hasSuffix(ending), fields[3] == "01" { count += 1 }
    }
    return count
  }

  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The text of a file; empty when it cannot be read.
  static func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      text += bytes.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

struct RunningProcess {
  let id: pid_t

  var commandLine: String { RunningProcesses.contents(of: "/proc/\(id)/cmdline") }
  var environment: String { RunningProcesses.contents(of: "/proc/\(id)/environ") }

  var isDriver: Bool { commandLine.contains("chromedriver") }

  /// Whether this is the browser itself and none of the processes it made.
  var isBrowser: Bool {
    let line = commandLine
    return line.contains("--user-data-dir=") && !line.contains("--type=")
      && !line.contains("crashpad")
  }
}

/// Waits for what other processes do; fails after a while.
///
/// There is nobody who would tell, so it looks again and again.
func settles(
  _ isSettled: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) {
  let deadline = ContinuousClock.now + .seconds(60)
  while !isSettled() {
    guard ContinuousClock.now < deadline else {
      Issue.record("what was waited for did not come", sourceLocation: sourceLocation)
      return
    }
    usleep(2000)
  }
}
