/// The message a page shows after a form's action; only its name is in the URL.
enum DashboardNotice: String {
  case saved, created, deleted, disabled, enabled, revoked, linked, unlinked, password

  var text: String {
    switch self {
    case .saved: "Saved."
    case .created: "The user has been created."
    case .deleted: "The user has been deleted."
    case .disabled: "The user is disabled and cannot sign in."
    case .enabled: "The user is enabled again."
    case .revoked: "The tokens issued so far have been revoked."
    case .linked: "The provider has been linked."
    case .unlinked: "The provider has been unlinked."
    case .password: "The new password is set."
    }
  }
}
