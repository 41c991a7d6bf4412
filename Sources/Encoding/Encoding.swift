// Replaced as soon as the room has content.
