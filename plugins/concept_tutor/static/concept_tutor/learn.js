// A lesson goes on within the page: forms marked with data-swap are sent, and the lesson is replaced by the server's.
// The answer is our own server's page, parsed and not run; without this file the same forms load the same pages.

import "/static/ragstone/render.js";

const LESSON = "[data-lesson]";

function place(page, url, push) {
  const fresh = page.querySelector(LESSON);
  const old = document.querySelector(LESSON);
  if (!fresh || !old) return false;
  document.title = page.title;
  old.replaceWith(document.importNode(fresh, true));
  if (push) history.pushState({ swapped: true }, "", url);
  const focus = document.querySelector(`${LESSON} [data-focus]`);
  focus?.focus({ preventScroll: true });
  if (focus && focus.getBoundingClientRect().top < 60) focus.scrollIntoView({ block: "center" });
  return true;
}

async function load(url, options) {
  const response = await fetch(url, { ...options, headers: { Accept: "text/html" } });
  if (!response.headers.get("Content-Type")?.startsWith("text/html")) throw new Error("no page");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // after a skip, or at the end, the server leads to another page
  return { page, moved: response.redirected ? response.url : null };
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-swap]");
  if (!form || form.dataset.swap === "no") return;
  const button = event.submitter;
  const method = (button?.getAttribute("formmethod") || form.method).toLowerCase();
  const action = new URL(button?.getAttribute("formaction") || form.action, location.href);
  const fields = new URLSearchParams(new FormData(form, button));
  event.preventDefault();
  for (const each of form.querySelectorAll("button")) each.disabled = true;
  form.setAttribute("aria-busy", "true");
  try {
    if (method === "get") action.search = fields;
    const { page, moved } = await load(action, method === "get" ? {} : { method: "POST", body: fields });
    if (place(page, moved ?? action, method === "get" || moved)) return;
  } catch {
    // the form loads the page itself, which reports it
  }
  for (const each of form.querySelectorAll("button")) each.disabled = false;
  form.dataset.swap = "no";
  form.requestSubmit(button);
});

addEventListener("popstate", async () => {
  try {
    place((await load(location.href, {})).page, location.href, false);
  } catch {
    location.reload();
  }
});
