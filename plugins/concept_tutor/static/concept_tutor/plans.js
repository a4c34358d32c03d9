// The list of plans: while the server makes a plan, which takes a while for a large book, its button says so, and a bar
// shows how many of the book's passages are stored.

const INTERVAL = 500;

async function follow(bar, button) {
  bar.hidden = false;
  while (button.hasAttribute("aria-busy")) {
    const answer = await fetch(bar.dataset.from).catch(() => null);
    const { done, of } = answer?.ok ? await answer.json() : { done: 0, of: 0 };
    if (of) {
      bar.max = of;
      bar.value = done;
    }
    await new Promise((resume) => setTimeout(resume, INTERVAL));
  }
}

for (const form of document.querySelectorAll(".new-plan form")) {
  const button = form.querySelector("button");
  const label = button.textContent;
  const bar = form.querySelector("progress");
  form.addEventListener("submit", () => {
    button.textContent = button.dataset.waits;
    button.setAttribute("aria-busy", "true");
    button.setAttribute("aria-disabled", "true");
    if (bar) follow(bar, button);
  });
  button.addEventListener("click", (event) => {
    if (button.hasAttribute("aria-busy")) event.preventDefault();
  });
  // back from the plan, the browser may show the page as it was left
  addEventListener("pageshow", () => {
    button.textContent = label;
    if (bar) bar.hidden = true;
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  });
}
