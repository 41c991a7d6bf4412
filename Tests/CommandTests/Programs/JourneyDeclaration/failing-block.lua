journey.group("broken", function()
  journey("inside", function() say "inside" end)
  error "the block broke"
end)
journey("beside", function() say "beside" end)
