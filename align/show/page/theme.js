// Light and dark.

const wishes = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme;

function setTheme(name, byHand) {
  document.documentElement.dataset.theme = name;
  setTheme.byHand ||= byHand;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
  $("theme").setAttribute("aria-pressed", String(name === "dark"));
  readColours();
  redraw();
}

wishes.addEventListener("change", () => {
  if (!setTheme.byHand) setTheme(wishes.matches ? "dark" : "light", false);
});

setTheme(wishes.matches ? "dark" : "light", false);
