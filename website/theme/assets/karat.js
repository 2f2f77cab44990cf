// The version of these pages in the header; where there are several, a list to choose from.
const shown = document.querySelector('meta[name="karat-version"]').content;
const known = window.karatVersions || [shown];
const place = document.querySelector(".md-header__topic .md-ellipsis");
const base = JSON.parse(document.getElementById("__config").textContent).base;
if (place) {
  let sign;
  if (known.length < 2) {
    sign = document.createElement("span");
    sign.textContent = shown;
  } else {
    sign = document.createElement("select");
    sign.setAttribute("aria-label", "version of karat");
    for (const each of known) {
      const option = document.createElement("option");
      option.textContent = option.value = each;
      option.selected = each === shown;
      sign.append(option);
    }
    sign.addEventListener("change", () => {
      location.href = new URL(`${base}/../${sign.value}/index.html`, location.href).href;
    });
  }
  sign.className = "karat-version";
  place.append(" ", sign);
}

// The theme makes a landmark of the copy button of each block, too many for screen readers; and
// tables that are wider than the window can be scrolled by keyboard only if they can be reached.
const adjust = () => {
  for (const each of document.querySelectorAll(".md-code__nav:not([role])")) each.setAttribute("role", "presentation");
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) each.tabIndex = 0;
};
adjust();
new MutationObserver(adjust).observe(document.body, { childList: true, subtree: true });
