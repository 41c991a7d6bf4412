import CShims
import System

/// A Swift class whose instances scripts hold: its methods, properties and documentation.
public final class LuaClass {
  /// A property: computed by the host, or stored as the Lua value that was assigned.
  public struct Property {
    /// Its name.
    public let name: String
    /// What it holds.
    public let kind: LuaParameter.Kind
    /// One sentence about it.
    public let summary: String
    /// Whether it may be nil.
    public let optional: Bool
    let get: LuaFunction.Body?
    let set: LuaFunction.Body?
    let stored: Bool
    /// The current name, if this is another spelling.
    public private(set) var current: String?

    /// The same property under another name; only for computed ones, as a stored value has one name.
    public func spelled(_ name: String) -> Property {
      precondition(!stored, "\(self.name) is stored under its own name")
      var other = Property(
        name: name, kind: kind, summary: summary, optional: optional, get: get, set: set,
        stored: false)
      other.current = self.name
      return other
    }

    /// A property that the host computes; read-only without `set`, which receives the value at index 2.
    public static func computed(
      _ name: String, _ kind: LuaParameter.Kind, optional: Bool = false, _ summary: String,
      get: @escaping LuaFunction.Body, set: LuaFunction.Body? = nil
    ) -> Property {
      Property(
        name: name, kind: kind, summary: summary, optional: optional, get: get, set: set,
        stored: false)
    }

    /// A property that keeps the assigned Lua value itself, if `check` accepts it (at index 2).
    public static func stored(
      _ name: String, _ kind: LuaParameter.Kind, optional: Bool = false, _ summary: String,
      check: @escaping LuaFunction.Body = { _ in .results(0) }
    ) -> Property {
      Property(
        name: name, kind: kind, summary: summary, optional: optional, get: nil, set: check,
        stored: true)
    }
  }

  /// The name in error messages and in `tostring`.
  public let name: String
  /// One sentence about it.
  public let summary: String
  /// Methods by name; set after the class is created, as methods may mention other classes.
  public var methods: [(name: String, function: LuaFunction)] = []
  /// Properties by name.
  public var properties: [Property] = []
  /// What to do instead, for names that it does not have.
  public var advice: [String: String] = [:]
  /// Returns the text for `tostring`.
  public var describe: ((AnyObject) -> String)?
  /// Closes an object when a `<close>` variable that holds it goes out of scope.
  ///
  /// It cannot wait, as Lua also closes variables where no coroutine may yield. `hasFailed` is whether an error
  /// ended the scope.
  public var close: ((_ object: AnyObject, _ hasFailed: Bool) -> Void)?
  /// Whether pushing the same object again yields the same Lua value while a script holds it.
  ///
  /// Stored properties need that: they belong to the Lua value.
  let keepsIdentity: Bool

  /// Creates a class without members; they are added afterwards.
  public init(_ name: String, _ summary: String, keepsIdentity: Bool = false) {
    self.name = name
    self.summary = summary
    self.keepsIdentity = keepsIdentity
  }

  /// The names of all methods and properties, for suggestions.
  var memberNames: [String] { methods.map(\.name) + properties.map(\.name) }
}

final class CompiledClass {
  let record: UnsafeMutablePointer<luath_class>
  let type: LuaClass

  init(_ type: LuaClass, in state: LuaState) {
    self.type = type
    record = state.arena.allocate(luath_class.self)
    record.initialize(
      to: luath_class(
        name: state.arena.text(type.name), release: releaseObject, unknown_field: unknownField,
        describe: nil, close: nil, context: nil))
    record.pointee.context = Unmanaged.passUnretained(self).toOpaque()
  }
}

private let releaseObject: @convention(c) (UnsafeMutableRawPointer?) -> Void = { reference in
  if let reference { Unmanaged<AnyObject>.fromOpaque(reference).release() }
}

private let unknownField:
  @convention(c) (
    OpaquePointer?, UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Bool
  ) -> Void = { thread, context, name, writing in
    guard let thread, let context, let name else { return }
    let type = Unmanaged<CompiledClass>.fromOpaque(context).takeUnretainedValue().type
    let wanted = String(cString: name)
    let near = nearestName(to: wanted, among: type.memberNames)
    let advice =
      type.advice[wanted].map { "; \($0)" } ?? near.map { "; did you mean '\($0)'?" } ?? ""
    let text =
      writing && type.methods.contains { $0.name == wanted }
      ? "\(type.name).\(wanted) is a method and cannot be assigned"
      : "\(type.name) has no field '\(wanted)'\(advice)"
    LuaCall.push(text, on: thread)
  }
