local lacks = require "FirebaseEmulator.lacks"
lacks("clock that can be moved", emulator.advance, 60)
lacks("clock that can be moved", emulator.setClock, "2030-01-31T12:00:00Z")
lacks("faults", emulator.setFaults, { { operation = "signUp", error = "503" } })
lacks("faults", emulator.listFaults)
lacks("service account", emulator.serviceAccount)
lacks("test users of identity providers", emulator.people)
lacks("texts of e-mails and SMS", emulator.mails)
lacks("texts of e-mails and SMS", emulator.sms)
