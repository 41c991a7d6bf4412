import Client
import Lua

/// The changes that a script has assigned so far.
final class ProfileChangeBox {
  let user: User
  var displayName = ProfileChange.keep
  var photoURL = ProfileChange.keep

  init(_ user: User) { self.user = user }
}

enum ProfileChangeClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.profileChange
    type.properties = [
      property("displayName", "The new name; nil or false clears it.", \.displayName),
      property("photoURL", "The address of the new picture; nil or false clears it.", \.photoURL),
    ]
    type.describe = { object in
      "UserProfileChangeRequest(\((object as? ProfileChangeBox)?.user.uid ?? ""))"
    }
    var methods = Declarations(interpreter, owner: "request", type: type)
    methods.wait("commitChanges", "Sends the assigned changes; the rest of the profile stays.") {
      [unowned interpreter] call throws(LuaError) in
      let box = call.object(1, as: ProfileChangeBox.self)
      return { () async throws(LuaError) in
        guard let box else { return [] }
        return try await interpreter.auth { () async throws(AuthError) in
          try await box.user.updateProfile(displayName: box.displayName, photoURL: box.photoURL)
          return []
        }
      }
    }
    methods.alias(Spellings.shared.methods(of: "UserProfileChangeRequest"))
    type.methods = methods.members
    return methods.list
  }

  private static func property(
    _ name: String, _ summary: String,
    _ path: ReferenceWritableKeyPath<ProfileChangeBox, ProfileChange>
  ) -> LuaClass.Property {
    .computed(
      name, .either([.string, .boolean]), optional: true, summary,
      get: { call in
        let text: String? =
          if case .set(let text)? = call.object(1, as: ProfileChangeBox.self)?[keyPath: path] {
            text
          } else { nil }
        call.push(.string(ifAny: text))
        return .results(1)
      },
      set: { call throws(LuaError) in
        let text = call.string(2)
        guard text != nil || !call.boolean(2) else {
          throw .message("\(name): a string, or false to clear it, but not true")
        }
        call.object(1, as: ProfileChangeBox.self)?[keyPath: path] = text.map { .set($0) } ?? .clear
        return .results(0)
      })
  }
}
