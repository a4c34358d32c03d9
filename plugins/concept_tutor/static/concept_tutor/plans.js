// The list of plans: while the server makes a plan, which takes a while for a large book, its button says so.

for (const form of document.querySelectorAll(".new-plan form")) {
  const button = form.querySelector("button");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.textContent = button.dataset.waits;
    button.setAttribute("aria-busy", "true");
    button.setAttribute("aria-disabled", "true");
  });
  button.addEventListener("click", (event) => {
    if (button.hasAttribute("aria-busy")) event.preventDefault();
  });
  // back from the plan, the browser may show the page as it was left
  addEventListener("pageshow", () => {
    button.textContent = label;
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  });
}
