-- The names of the SDKs in each code block of the five guides, by the step of the snippet and the language.
--
-- A snippet is named GUIDE.STEP. Its blocks in all guides and languages have the same names.
local signIn = {
  swift = "getCredentialWith Auth signIn with additionalUserInfo profile credential OAuthCredential "
    .. "accessToken idToken AuthUIDelegate",
  objc = "getCredentialWithUIDelegate completion FIRAuthCredential NSError FIRAuth auth "
    .. "signInWithCredential FIRAuthDataResult additionalUserInfo profile FIROAuthCredential accessToken idToken",
}

return {
  provider = { swift = "OAuthProvider providerID", objc = "FIROAuthProvider providerWithProviderID" },
  parameters = { swift = "customParameters", objc = "setCustomParameters" },
  tenant = { swift = "customParameters", objc = "customParameters" },
  scopes = { swift = "scopes", objc = "setScopes" },
  signIn = signIn,
  link = {
    swift = "Auth currentUser link withCredential additionalUserInfo profile OAuthCredential accessToken idToken",
    objc = "FIRAuth auth currentUser linkWithCredential completion FIRAuthDataResult NSError FIROAuthCredential",
  },
  reauthenticate = {
    swift = "Auth currentUser reauthenticateWithCredential withCredential additionalUserInfo profile "
      .. "OAuthCredential accessToken idToken",
    objc = "FIRAuth auth currentUser reauthenticateWithCredential completion FIRAuthDataResult NSError "
      .. "FIROAuthCredential",
  },
  merge = {
    swift = "getCredentialWith NSError code AuthErrorCode accountExistsWithDifferentCredential rawValue "
      .. "userInfo AuthErrorUserInfoEmailKey AuthErrorUserInfoUpdatedCredentialKey AuthCredential Auth auth "
      .. "fetchProviders forEmail contains EmailAuthProviderID signIn withEmail password currentUser "
      .. "linkAndRetrieveData with signInAndRetrieveData",
    objc = "getCredentialWithUIDelegate completion FIRAuthCredential NSError code "
      .. "FIRAuthErrorCodeAccountExistsWithDifferentCredential NSString userInfo FIRAuthErrorUserInfoEmailKey "
      .. "FIRAuthErrorUserInfoUpdatedCredentialKey FIRAuth auth fetchProvidersForEmail NSArray containsObject "
      .. "FIREmailAuthProviderID signInWithEmail password FIRUser currentUser linkWithCredential "
      .. "signInAndRetrieveDataWithCredential FIRAuthDataResult",
  },
  manual = {
    swift = "OAuthProvider credential withProviderID idToken rawNonce Auth auth signIn with additionalUserInfo profile",
    objc = "FIROAuthCredential FIROAuthProvider credentialWithProviderID IDToken rawNonce FIRAuth auth "
      .. "signInWithCredential completion FIRAuthDataResult NSError additionalUserInfo profile",
  },
  signOut = {
    swift = "Auth auth signOut catch NSError print", objc = "NSError BOOL FIRAuth auth signOut NSLog",
  },
  -- The names in the guides' sentences.
  text = {
    swift = "credentialWithUIDelegate AuthUIDelegate setCustomParameters linkWithCredential "
      .. "reauthenticateWithCredential linkWithPopup reauthenticateWithPopup reauthenticateWithRedirect "
      .. "providerData uid oid sub signOut client_id response_type redirect_uri state scope response_mode",
    objc = "FIRAuthErrorCodeAccountExistsWithDifferentCredential FIRAuthCredential",
  },
}
