// What the theme writes into each page as a script, as a file: then the policy in main.html needs to
// allow no script in a page. First, how a reader's choices are kept; the theme calls these by name.
var __md_scope = new URL("../..", document.currentScript.src)

function __md_hash(text) {
  return [...text].reduce((hash, letter) => (hash << 5) - hash + letter.charCodeAt(0), 0)
}

// A reader may refuse to keep anything: then even to name `localStorage` is an error.
function __md_get(name, storage, scope = __md_scope) {
  try {
    return JSON.parse((storage ?? localStorage).getItem(`${scope.pathname}.${name}`))
  } catch {
    return null
  }
}

function __md_set(name, value, storage, scope = __md_scope) {
  try {
    (storage ?? localStorage).setItem(`${scope.pathname}.${name}`, JSON.stringify(value))
  } catch {}
}

// The colours that the reader chose, before anything is painted.
{
  const color = __md_get("__palette")?.color
  if (color?.media === "(prefers-color-scheme)") {
    const now = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"
    const input = document.querySelector(`[data-md-color-media="(prefers-color-scheme: ${now})"]`)
    for (const name of ["media", "scheme", "primary", "accent"])
      color[name] = input.getAttribute(`data-md-color-${name}`)
  }
  for (const [name, value] of Object.entries(color ?? {}))
    document.body.setAttribute(`data-md-color-${name}`, value)
}

// The index of the search is as heavy as a page: it waits until somebody turns to the search.
{
  const { open, send } = XMLHttpRequest.prototype
  const wanted = new Promise(resolve => {
    if (new URLSearchParams(location.search).get("h")) resolve() // who comes from it: what was sought is marked
    for (const type of ["focusin", "change"])
      addEventListener(type, ({ target }) => target.closest?.(".md-search, #__search") && resolve())
  })
  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    if (address.endsWith("/search_index.json")) this.send = () => wanted.then(() => send.call(this))
    open.call(this, method, address, ...rest)
  }
}
