--- The checks that scripts added by `expect.extend`, by name.
return {}
