// A book opened from a folder has no search: browsers refuse it its index.
if (location.protocol === "file:") {
  const hint = document.createElement("p")
  hint.className = "md-header__hint"
  hint.append("Search needs ", Object.assign(document.createElement("code"), { textContent: "make serve" }))
  document.querySelector(".md-header__inner > label[for=__search]").replaceWith(hint)
}

// What the theme leaves to the pointer. Its header uses labels as buttons, and a label takes no focus.
for (const [id, name] of [["__drawer", "Contents"], ["__search", "Search"]]) {
  const label = document.querySelector(`.md-header__inner > label[for=${id}]`)
  if (!label) continue
  const button = document.createElement("button")
  button.type = "button"
  button.className = label.className
  button.setAttribute("aria-label", name)
  button.setAttribute("for", id) // the theme's style sheet selects by it
  const box = document.getElementById(id)
  const say = () => button.setAttribute("aria-expanded", String(box.checked))
  box.addEventListener("change", say)
  say()
  button.append(...label.childNodes)
  button.addEventListener("click", () => {
    box.click()
    if (id === "__search") document.querySelector(".md-search__input").focus()
  })
  // Whoever leaves the search is where he came from, not at the top of the page.
  if (id === "__search")
    box.addEventListener("change", () => setTimeout(() => {
      if (!box.checked && document.activeElement === document.body) button.focus({ preventScroll: true })
    }))
  label.replaceWith(button)
}

// The open drawer lies above the page: the keyboard goes into it, stays there, and leaves with Escape.
const drawer = document.getElementById("__drawer")
const beneath = document.querySelectorAll(
  "[data-md-component=skip], .md-header, .md-content, .md-footer, .md-sidebar--secondary")
const contents = document.querySelector(".md-sidebar--primary")
drawer.addEventListener("change", () => {
  for (const part of beneath) part.inert = drawer.checked
  if (drawer.checked) (contents.querySelector("a.md-nav__link--active") ?? contents.querySelector("a")).focus()
})
const close = () => drawer.checked && drawer.click()
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && drawer.checked) {
    close()
    document.querySelector("button[for=__drawer]").focus({ preventScroll: true })
  }
})
matchMedia("(min-width: 76.25em)").addEventListener("change", close) // there is no drawer then

// What scrolls takes the keyboard.
const scrolls = new ResizeObserver(parts => {
  for (const { target } of parts)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0
    else target.removeAttribute("tabindex")
})

addEventListener("DOMContentLoaded", () => { // by then the theme has wrapped its tables and chosen its colours
  const wide = ".md-typeset__scrollwrap, figure > p:has(> img, > .attention-graph)"
  for (const part of document.querySelectorAll(wide)) scrolls.observe(part)
  // Of its radio buttons none is checked, and the keyboard would come to one that does not show.
  const colours = document.querySelector("[data-md-component=palette] label:not([hidden])")
  colours.previousElementSibling.checked = true
})
