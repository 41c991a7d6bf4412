import Glibc
import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SystemThreadTests {
  @Test func `a joinable thread runs its closure under its name`() async throws {
    let name = await withCheckedContinuation { answer in
      do throws(SystemError) {
        let thread = try SystemThread.start(name: "a name that is too long", isJoinable: true) {
          let comm = try? WholeFile.read("/proc/thread-self/comm")
          answer.resume(returning: String(decoding: comm ?? [], as: UTF8.self))
        }
        #expect(pthread_join(thread, nil) == 0)
      } catch {
        answer.resume(returning: error.message)
      }
    }
    #expect(name == "a name that is \n")
  }

  @Test func `a refused thread is an error of the system`() {
    #expect(throws: SystemError.self) {
      // No machine has an address space for this stack.
      try SystemThread.start(stackBytes: 1 << 56) {}
    }
  }
}

@Suite struct WholeFileTests {
  @Test func `a file is read to its end, unless it is larger than allowed`() throws {
    #expect(try WholeFile.read("/proc/self/comm").last == UInt8(ascii: "\n"))
    #expect(throws: SystemError(EFBIG)) { try WholeFile.read("/proc/self/stat", atMost: 3) }
    #expect(throws: SystemError(EISDIR)) { try WholeFile.read("/") }
    #expect(throws: SystemError(ENOENT)) { try WholeFile.read("/there is no such file") }
  }

  @Test(arguments: [("a/b", "a"), ("/a", "/"), ("/", "/"), ("a", "."), ("/a/b/c", "/a/b")])
  func `the folder of a path is what precedes its last slash`(_ path: String, _ folder: String) {
    #expect(path.folder == folder)
  }
}
