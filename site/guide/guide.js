// What opens and closes the sidebar is a button, and says so.
for (const toggle of document.querySelectorAll("label[for='mdbook-sidebar-toggle-anchor']")) {
  toggle.setAttribute("role", "button");
  toggle.tabIndex = 0;
  toggle.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      toggle.click();
    }
  });
}
// What scrolls is reached by the keyboard as well.
for (const wide of document.querySelectorAll("pre code, .formula, .table-wrapper")) wide.tabIndex = 0;
