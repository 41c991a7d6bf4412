local batch = require "luath.batch"
return batch.define { plan = function(row)
  local none = row.none
  return {
    batch.link {
      uid = "a", providerId = "x.com", rawId = "1", email = none, displayName = none,
      photoUrl = none,
    },
    batch.import { account = {
      uid = "b", email = none, displayName = none, phoneNumber = none, photoURL = none,
      customClaims = { note = "" },
      providerData = { { providerID = "y.com", uid = "2", displayName = none } },
    } },
    row.n == 2 and batch.update { uid = "a", displayName = none } or nil,
  }
end }
