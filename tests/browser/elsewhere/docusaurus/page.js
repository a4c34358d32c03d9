document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = "dark";
});
