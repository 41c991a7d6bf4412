// Replaced as soon as the suite has content.
