// As in mdBook: the arrows turn the page and "s" opens the search, unless something is being typed.
window.turned = [];
document.addEventListener("keydown", (event) => {
  if (event.target.nodeName === "INPUT" || event.target.nodeName === "TEXTAREA") return;
  if (["ArrowRight", "ArrowLeft", "s", "Escape"].includes(event.key)) window.turned.push(event.key);
});
