// Copy buttons, and Escape for the expressions of checked numbers.
// Where a browser does not copy (it has no clipboard on plain http), the words are one step away.
function instead(button) {
  if (button.href) location = button.href
  else getSelection().selectAllChildren(button.closest(".cell, .highlight").querySelector("code"))
}

// What a button says when it is done, for who hears the page.
const status = document.createElement("p")
status.className = "unseen"
status.setAttribute("role", "status")
document.body.append(status)

async function copy(button, text) {
  const name = button.dataset.name ??= button.textContent
  try {
    // Some browsers allow to copy only what was promised at the click.
    const promised = Promise.resolve(text).then(words => new Blob([words.trimEnd() + "\n"], { type: "text/plain" }))
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": promised })])
    button.textContent = "Copied"
  } catch {
    button.textContent = button.href ? "Opened" : "Selected"
    instead(button)
  }
  status.textContent = button.textContent
  clearTimeout(button.later)
  button.later = setTimeout(() => {
    button.textContent = name
    status.textContent = ""
  }, 1500)
}

const load = async address => {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(answer.statusText)
  return answer.text()
}

// The examples of the reference are copied as one would type them.
const typed = code => code.textContent.split("\n").filter(line => /^(>>>|\.\.\.)/.test(line)).map(line => line.slice(4)).join("\n")
for (const code of document.querySelectorAll(".doc .highlight code:has(.gp)")) {
  const button = document.createElement("button")
  button.className = "example__copy"
  button.textContent = "Copy"
  button.setAttribute("aria-label", "Copy the example")
  code.closest(".highlight").prepend(button)
}

document.addEventListener("click", event => {
  const button = event.target.closest?.(".cell__copy, .example__copy, .cell__script, .formats__copy")
  if (!button) return
  if (button.matches(".example__copy")) copy(button, typed(button.closest(".highlight").querySelector("code")))
  else if (button.matches(".cell__copy")) copy(button, button.closest(".cell").querySelector("code").textContent)
  else if (location.protocol.startsWith("http") && !(event.ctrlKey || event.metaKey || event.shiftKey)) { // else the link is a link
    event.preventDefault()
    copy(button, load(button.href))
  }
})

// How a number of an option was checked is told when the option is chosen: not by the keyboard before.
const tell = option => {
  const chosen = option.querySelector("input").checked
  for (const part of option.querySelectorAll("label :is(.checked, .sourced)")) {
    part.dataset.how ??= part.getAttribute("aria-description")
    part.tabIndex = chosen ? 0 : -1
    if (chosen) part.setAttribute("aria-description", part.dataset.how)
    else part.removeAttribute("aria-description")
  }
}
document.querySelectorAll(".choice").forEach(tell)
document.addEventListener("change", event => event.target.closest(".choices")?.querySelectorAll(".choice").forEach(tell))

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
