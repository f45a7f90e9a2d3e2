// Copy buttons, the keyboard in the header, and Escape for the expressions of checked numbers.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.(".cell__copy")
  if (!button) return
  const code = button.closest(".cell").querySelector("code").textContent
  try {
    await navigator.clipboard.writeText(code.trimEnd() + "\n")
    button.textContent = "Copied"
  } catch {
    button.textContent = "Not allowed"
  }
  setTimeout(() => { button.textContent = "Copy" }, 1500)
})

// The theme's header uses labels as buttons, and a label takes no focus.
for (const [id, name] of [["__drawer", "Contents"], ["__search", "Search"]]) {
  const label = document.querySelector(`.md-header__inner > label[for=${id}]`)
  if (!label) continue
  const button = document.createElement("button")
  button.type = "button"
  button.className = label.className
  button.setAttribute("aria-label", name)
  button.setAttribute("for", id) // the theme's style sheet selects by it
  button.append(...label.childNodes)
  button.addEventListener("click", () => document.getElementById(id).click())
  label.replaceWith(button)
}

const root = document.documentElement
const number = ({ target }) => target.closest?.(".checked, .sourced")
document.addEventListener("keydown", event => {
  if (event.key === "Escape") root.classList.add("hush")
  else if ([" ", "Enter"].includes(event.key) && number(event)) {
    root.classList.toggle("hush")
    event.preventDefault() // the space bar would scroll the page
  }
})
for (const type of ["pointerover", "focusin"])
  document.addEventListener(type, event => number(event) || root.classList.remove("hush"))
