// What the tests of the explorer say in a browser: a page in a frame is visited, typed into, read.
const frame = document.querySelector("iframe")
export let page
export const wait = ms => new Promise(done => setTimeout(done, ms))

export async function visit(fragment = "") {
  frame.src = "about:blank"
  await wait(50)
  await new Promise(done => { frame.onload = done; frame.src = "/explorer/" + fragment })
  page = frame.contentDocument
  await wait(600) // sentences wait 400
}

export const field = name => page.querySelector(`[name="${name}"]`)

export async function type(name, value) {
  field(name).value = value
  for (const kind of ["input", "change"]) field(name).dispatchEvent(new Event(kind, { bubbles: true }))
  await wait(600)
}

/** What is read aloud, the tables by their captions, and the fragment of the address. */
export function seen() {
  const texts = selector => [...page.querySelectorAll(selector)]
  const says = texts(".explorer [role=status]").map(node => node.textContent).filter(Boolean)
  const cell = node => node.querySelector("input")?.value ?? node.textContent
  const rows = table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell))
  const tables = texts(".explorer table").map(table => [table.caption.textContent, rows(table)])
  return { says, tables: Object.fromEntries(tables), hash: frame.contentWindow.location.hash }
}
