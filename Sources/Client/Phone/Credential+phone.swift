import System
import IdentityToolkit

extension Credential {
  /// The purpose of a verified number.
  enum PhoneOperation: String {
    case signUpOrIn = "SIGN_UP_OR_IN"
    /// Creates no account, unlike a sign-in.
    case reauthenticate = "REAUTH"
    case update = "UPDATE"
    case link = "LINK"
  }

  /// The body that sends an SMS code, or the proof from an earlier one, to the backend.
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
