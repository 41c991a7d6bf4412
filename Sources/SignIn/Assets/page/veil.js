for (const e of document.querySelectorAll("input,textarea")) {
  if (e.type !== "submit" && e.type !== "button") e.style.webkitTextSecurity = "disc";
}
