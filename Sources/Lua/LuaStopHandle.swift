import CShims
import Glibc
import Synchronization

/// Stops a script from another thread; safe even while the state is being closed.
///
/// A handle may outlive the state; its functions then do nothing.
public struct LuaStopHandle: Sendable {
  let door: StateDoor

  /// The signal sent to the script's thread.
  static let signal = SIGURG

  /// Installs the signal's handler for the process.
  public static func installHandler() { luath_watch_signal(signal) }

  /// Records the reason and interrupts the thread that runs the script; false when the state is closed.
  @discardableResult
  public func request(_ reason: LuaStop, thread: UInt) -> Bool {
    door.enter { host in
      luath_request_stop(host, reason.rawValue)
      pthread_kill(thread, Self.signal)
    }
  }

  /// Raises the error "interrupted" at the next instruction of the running code; false when the state is closed.
  ///
  /// The script may catch the error.
  @discardableResult
  public func interrupt(thread: UInt) -> Bool {
    door.enter { host in
      luath_request_interrupt(host)
      pthread_kill(thread, Self.signal)
    }
  }
}

/// Access of other threads to a state's stop flags, which ends when the state is closed.
///
/// The flags are atomic. The state's thread takes the lock (`close`) before it frees them.
final class StateDoor: Sendable {
  /// The host's address; 0 once the state is closed.
  private let address: Mutex<UInt>

  init(_ host: UnsafeMutablePointer<luath_host>) { address = Mutex(UInt(bitPattern: host)) }

  /// Runs a closure while the state cannot be closed; false when it is closed already.
  func enter(_ body: (UnsafeMutablePointer<luath_host>) -> Void) -> Bool {
    address.withLock { address in
      guard let host = UnsafeMutablePointer<luath_host>(bitPattern: address) else { return false }
      body(host)
      return true
    }
  }

  func close() { address.withLock { $0 = 0 } }
}
