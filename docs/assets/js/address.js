// The state of the explorer as the fragment of an address, `#scale=0.5&mask=causal`: what differs
// from the start. And numbers, as people write them and as the page shows them.
import { MASKS } from "./attend.js"

const MOST = 8 // tokens, and entries of a vector

/** The number that a person wrote, or NaN. */
export function number(text) {
  const plain = text.trim().replace("−", "-")
  const fits = /^[-+]?(?=\.?\d)\d{0,3}(\.\d{0,6})?$/.test(plain) && Math.abs(plain) <= 100
  return fits ? +plain + 0 : NaN // + 0: without the sign of −0
}

export const shown = x => (Math.abs(x) < 1000 ? x.toFixed(4) : x === -Infinity ? "-∞" : x.toPrecision(7))
  .replace(/^-(?=[0.]+$)/, "").replace("-", "−")

/** In how many heads the columns can be cut. */
export const cuts = ({ wk, wv }) => wk[0].map((_, i) => i + 1).filter(n => wk[0].length % n + wv[0].length % n === 0)

/** Whether the explorer can show a state. */
export function sound({ words, x, wq, wk, wv, scale, mask, window, heads }) {
  const size = (a, rows, columns) => a.length === rows && columns <= MOST &&
    a.every(row => row.length === columns && row.every(Number.isFinite))
  return words.length >= 2 && words.length <= MOST && words.every(word => /^(?! )[^*]{1,16}(?<! )$/.test(word)) &&
    size(x, words.length, x[0].length) && size(wq, x[0].length, wk[0].length) &&
    size(wk, x[0].length, wk[0].length) && size(wv, x[0].length, wv[0].length) &&
    Number.isFinite(scale) && Object.hasOwn(MASKS, mask) &&
    Number.isInteger(window) && window >= 1 && window <= MOST && cuts({ wk, wv }).includes(heads)
}

const text = part => Array.isArray(part) ? part.map(row => [row].flat().join(" ")).join("*") : String(part)

export function write(state, start) {
  const changed = Object.keys(start).filter(name => text(state[name]) !== text(start[name]))
  return new URLSearchParams(changed.map(name => [name, text(state[name])])).toString()
}

/** The state of a fragment, or null where it is damaged. */
export function read(fragment, start) {
  const state = { ...start }
  for (const [name, said] of new URLSearchParams(fragment)) {
    if (!Object.hasOwn(start, name)) return null
    const rows = said.split("*")
    state[name] = name === "mask" ? said : name === "words" ? rows :
      Array.isArray(start[name]) ? rows.map(row => row.split(" ").map(number)) : number(said)
  }
  return sound(state) ? state : null
}
