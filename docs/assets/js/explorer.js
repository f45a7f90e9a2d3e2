// The page of the explorer: fields for a sentence and its matrices, and what attention makes of them.
// The start is what the page shows without a script: its first table is read, then all are replaced.
import { attend } from "./attend.js"
import { cuts, number, read, shown, sound, write } from "./address.js"

const root = document.querySelector(".explorer")
const at = name => root.querySelector(`[data-at=${name}]`)
const rows = [...root.querySelector("table").tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))
const x = rows.map(row => row.slice(1).map(Number)), unit = x[0].map((_, i) => x[0].map((_, j) => +(i === j)))
const start = { words: rows.map(row => row[0]), x, wq: unit, wk: unit, wv: unit, scale: 1, mask: "none", window: 3, heads: 1 }
const MATRICES = { wq: ["query", "Matrix of the queries"], wk: ["key", "Matrix of the keys"], wv: ["value", "Matrix of the values"] }
const WANTED = { words: "1 to 16 characters, without * and without a space at either end", window: "a whole number from 1 to 8" }
let state, asks // the row that was changed last: the sentence is about it

function make(tag, attributes, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}

/** A table with a name and headers, in a box that the keyboard can scroll; `fill` fills a cell. */
function table(name, role, columns, rows, fill, caption = [name]) {
  const cell = (i, j) => {
    const td = make("td", {})
    td.append(fill(i, j, td))
    return td
  }
  const line = (label, i) => make("tr", {}, make("th", { scope: "row" }, label), ...columns.map((_, j) => cell(i, j)))
  const head = make("tr", {}, make("td", {}), ...columns.map(column => make("th", { scope: "col" }, column)))
  return make("div", { class: "explorer__scroll", role: "group", "aria-label": name, ...(columns.length > 6 && { tabindex: 0 }) },
    make("table", { class: `explorer__table ${role}` }, make("caption", {}, ...caption), make("thead", {}, head), make("tbody", {}, ...rows.map(line))))
}

/** A sentence waits until the hand rests, so that a screen reader says it once. */
function say(node, text) {
  clearTimeout(node.waits)
  node.waits = setTimeout(() => { node.textContent = text }, 400)
}

const count = row => row.map((_, i) => String(i))
const field = (name, value, attributes) => make("input", { name, value, autocomplete: "off", ...attributes })

/** The fields anew: for another start, or another number of tokens. */
function fields() {
  const matrix = (part, name, role, labels, caption) => at(part).replaceChildren(table(name, role, count(state[part][0]), labels,
    (i, j) => field(`${part}.${i}.${j}`, state[part][i][j], { inputmode: "decimal" }), caption))
  matrix("x", "Embeddings", "", state.words.map((word, i) => field(`words.${i}`, word, { "aria-label": `Token ${i}` })))
  for (const [part, [role, name]] of Object.entries(MATRICES))
    matrix(part, name, role, count(state[part]), [make("em", {}, "W"), make("sub", {}, role[0])]) // as in the chapters
  at("heads").replaceChildren(...cuts(state).map(n => new Option(n)))
  for (const name of ["scale", "mask", "window", "heads"]) at(name).value = state[name]
  for (const input of root.querySelectorAll("[name]")) judge(input, true)
  at("add").disabled = state.words.length === 8
  at("remove").disabled = state.words.length === 2
  results()
}

function results() {
  const { words, heads, mask } = state, found = attend(state)
  const plain = a => (i, j) => shown(a[i][j])
  const top = Math.ceil(20 * Math.max(...found.weights.flat(2))) / 20 || 1 // the darkest, a multiple of 0.05
  const heat = a => (i, j, td) => {
    td.style.setProperty("--t", `${100 * a[i][j] / top}%`)
    return shown(a[i][j])
  }
  const scale = make("p", { class: "attn__scale", "aria-hidden": "true" }, "0", make("i", {}), String(top))
  const each = (name, fill) => found[name.toLowerCase()].map((a, h) => table(heads > 1 ? `${name}, head ${h}` : name, "pairs", words, words, fill(a)))
  const whole = (name, role) => table(name, role, count(found[name.toLowerCase()][0]), words, plain(found[name.toLowerCase()]))
  at("results").replaceChildren(...each("Weights", heat), scale, ...each("Scores", plain), whole("Contexts", "value"))
  at("parts").replaceChildren(whole("Queries", "query"), whole("Keys", "key"), whole("Values", "value"))
  const weights = found.weights[0][asks], most = Math.max(...weights), best = weights.indexOf(most)
  say(at("says"), `${heads > 1 ? "In head 0, " : ""}“${words[asks]}” ` +
    (most ? `attends most to ${best === asks ? "itself" : `“${words[best]}”`}, ${shown(most)}.` : "may attend to nothing."))
  at("window").disabled = ["none", "causal"].includes(mask)
  for (const input of root.querySelectorAll("td input")) {
    const [part, i, j] = input.name.split(".")
    input.ariaLabel = part === "x" ? `${words[i]}, entry ${j}` : `${MATRICES[part][1]}, row ${i}, column ${j}`
  }
}

/** Marks a field, and says beside its group what the first refused one of them wants. */
function judge(input, good) {
  const group = input.closest("fieldset"), part = input.name.split(".")[0]
  input.ariaInvalid = good ? null : "true"
  const bad = group.querySelector("[aria-invalid]")
  const wanted = WANTED[bad?.name.split(".")[0]] ?? "a number from −100 to 100, with a point and at most six decimals, such as 0.5"
  say(group.querySelector("[role=status]"), bad ? `${bad.ariaLabel}: write ${wanted}.` : "")
}

/** Takes what a field says into the state, if it can be shown; else the last good result stays. */
function take(input) {
  const [part, i, j] = input.name.split("."), next = structuredClone(state)
  const value = ["words", "mask"].includes(part) ? input.value : number(input.value)
  if (j) next[part][i][j] = value
  else if (i) next[part][i] = value
  else next[part] = value
  judge(input, sound(next))
  if (!sound(next)) return
  state = next
  if (["words", "x"].includes(part)) asks = +i
  results()
}

const save = () => history.replaceState(null, "", `${location.pathname}${location.search}#${write(state, start)}`.replace(/#$/, ""))

function resize(change) {
  change()
  asks = 0
  fields()
  for (const [off, on] of [["add", "remove"], ["remove", "add"]])
    if (at(off).disabled) at(on).focus() // a button that can do no more would lose it
  save()
}

/** Takes the state of the address. An anchor is no state; what is damaged gives the start. */
function open() {
  const fragment = location.hash.slice(1), anchor = fragment && !fragment.includes("=")
  if (anchor && state) return
  const held = read(anchor ? "" : fragment, start)
  say(at("address"), held ? "" : "This address holds no sentence that can be shown, so this is the start.")
  state = structuredClone(held ?? start)
  asks = 0
  fields()
}

root.replaceChildren(document.getElementById("explorer-tool").content)
root.addEventListener("input", ({ target }) => take(target))
root.addEventListener("change", save) // not at each key: browsers limit how often
at("add").addEventListener("click", () => resize(() => { state.words.push("new"); state.x.push(x[0].map(() => 0)) }))
at("remove").addEventListener("click", () => resize(() => { state.words.pop(); state.x.pop() }))
addEventListener("hashchange", open)
root.addEventListener("click", event => {
  if (!event.target.matches("a[href^='#']")) return
  event.preventDefault() // the page stays where it is
  history.pushState(null, "", event.target.href)
  open()
})
open()
