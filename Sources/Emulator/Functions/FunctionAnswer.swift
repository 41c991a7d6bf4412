internal import System
internal import IdentityToolkit

/// The changes that a blocking function returns; empty if there is no function.
struct FunctionAnswer {
  /// A field and its new value; nil removes the value.
  private enum Change {
    case displayName(String?)
    case photoURL(String?)
    case disabled(Bool)
    case emailVerified(Bool)
    case customAttributes(String)
  }

  private var changes: [Change] = []
  private(set) var sessionClaims = JSONObject()

  init() {}

  init(_ body: JSON, to event: BlockingEvent, _ rules: Rules) throws(Refusal) {
    guard let record = body["userRecord"], ScriptValue.isTrue(record) else { return }
    guard let mask = record["updateMask"]?.string, !mask.isEmpty else {
      throw Refusal(
        .blockingFunctionErrorResponse, "((Response UserRecord is missing updateMask.))")
    }
    for field in mask.split(separator: ",") {
      let value = record[String(field)]
      switch field {
      case "displayName": changes.append(.displayName(ScriptValue.primitiveText(value)))
      case "photoUrl": changes.append(.photoURL(ScriptValue.primitiveText(value)))
      case "disabled": changes.append(.disabled(ScriptValue.isTrue(value)))
      case "emailVerified": changes.append(.emailVerified(ScriptValue.isTrue(value)))
      case "customClaims":
        guard let value else { throw Refusal(.invalidClaims) }
        let text = value.encoded()
        try CustomClaimsLimits.check(text, rules)
        changes.append(.customAttributes(text))
      case "sessionClaims" where event == .beforeSignIn:
        guard let claims = value?.object else { continue }
        // Firebase's emulator refuses these four only; for the others the token's own value wins.
        for name in rules[.strictFunctions]
          ? ReservedClaims.forbidden : ["iss", "aud", "sub", "exp"]
        where claims[name] != nil {
          throw Refusal(.forbiddenClaim, name)
        }
        sessionClaims = claims
      default: break
      }
    }
  }

  var disables: Bool {
    changes.contains { if case .disabled(true) = $0 { true } else { false } }
  }

  func apply(to account: inout Account) {
    for change in changes {
      switch change {
      case .displayName(let name): account.displayName = name
      case .photoURL(let address): account.photoURL = address
      case .disabled(let flag): account.disabled = flag
      case .emailVerified(let flag): account.emailVerified = flag
      case .customAttributes(let text): account.customAttributes = text
      }
    }
  }
}
