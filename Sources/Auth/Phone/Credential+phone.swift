import Encoding
import IdentityToolkit

extension Credential {
  /// What a proved number is for.
  enum PhoneOperation: String {
    case signUpOrIn = "SIGN_UP_OR_IN"
    /// Makes no account, unlike signing in.
    case reauthenticate = "REAUTH"
    case update = "UPDATE"
    case link = "LINK"
  }

  /// The body that hands a telephone's code, or the proof that one gave, to the backend.
  func phoneRequest(_ operation: PhoneOperation) -> JSONObject {
    switch content {
    case .phone(let verificationID, let code):
      [
        "sessionInfo": .string(verificationID.reveal()), "code": .string(code.reveal()),
        "operation": .string(operation.rawValue),
      ]
    case .phoneProof(let number, let proof):
      [
        "phoneNumber": .string(number), "temporaryProof": .string(proof.reveal()),
        "operation": .string(operation.rawValue),
      ]
    case .password, .emailLink, .tokens, .redirect:
      preconditionFailure("\(signInMethod) is not a telephone's credential")
    }
  }
}
