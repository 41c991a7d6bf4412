public import Encoding
internal import Glibc
internal import HTTP

/// What is installed for sign-ins in a browser, for a person who asks why one does not start.
public struct InstalledBrowser: Sendable {
  /// A program and what it says of itself; a version of nil is that of a program that does not run.
  public struct Program: Sendable {
    /// Where it is.
    public let path: String
    /// Its version, such as 120.0.6099.71.
    public let version: String?
  }

  /// The driver, which is started first.
  public let driver: Result<Program, Problem>
  /// The browser that it drives.
  public let browser: Result<Program, Problem>

  /// Looks for both where a sign-in would, and asks each for its version, which takes up to ten
  /// seconds when a program does not answer.
  public static func find() async -> InstalledBrowser {
    let options = BrowserOptions()
    var driver: Result<Program, Problem>
    do throws(WebDriverError) {
      driver = .success(await program(try BrowserPrograms.driver(options)))
    } catch {
      driver = .failure(Problem(error.message, hint: error.hint))
    }
    do throws(WebDriverError) {
      let browser = await program(try BrowserPrograms.browser(options))
      return InstalledBrowser(driver: driver, browser: .success(browser))
    } catch {
      return InstalledBrowser(
        driver: driver, browser: .failure(Problem(error.message, hint: error.hint)))
    }
  }

  private static func program(_ path: String) async -> Program {
    Program(path: path, version: await version(of: path))
  }

  /// What `PROGRAM --version` prints, from the first digit to the next space.
  private static func version(of path: String) async -> String? {
    guard let folder = try? PrivateFolder(), let file = try? folder.file("version") else {
      return nil
    }
    defer {
      close(file)
      folder.remove()
    }
    guard
      let warden = try? Warden(
        program: path, arguments: ["--version"], environment: ProcessEnvironment.current.lines,
        output: file, folder: nil)
    else { return nil }
    defer { warden.close() }
    let deadline = ContinuousClock.now + .seconds(10)
    while case .running = warden.state {
      guard ContinuousClock.now < deadline else { return nil }
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return nil }
    }
    guard warden.state == .ended(code: 0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    let version = text.drop { !($0.isASCII && $0.isNumber) }
      .prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    return version.isEmpty ? nil : String(version)
  }
}
