// The reader's theme. It runs in the head, before anything is drawn, so that no page flashes in the other one.

(() => {
  const NAME = "ragstone.theme";
  const root = document.documentElement;
  const kept = () => {
    try {
      return localStorage.getItem(NAME) ?? "";
    } catch {
      return ""; // a browser that keeps nothing
    }
  };
  const set = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  set(kept());
  addEventListener("storage", ({ key }) => key === NAME && set(kept()));
  addEventListener("DOMContentLoaded", () => {
    const choice = document.querySelector("[data-theme-choice]");
    const select = choice.querySelector("select");
    choice.hidden = false;
    select.value = root.dataset.theme ?? "";
    select.addEventListener("change", () => {
      set(select.value);
      try {
        if (select.value) localStorage.setItem(NAME, select.value);
        else localStorage.removeItem(NAME);
      } catch {
        // it holds for this page
      }
    });
  });
})();
