// Attention of a small sentence, as `attention.dot_product_attention` computes it: pure functions,
// matrices are arrays of rows. The tests run this file beside the package.

/** Which query `i` may attend to which key `j`, by the name of the mask; `w` is the window. */
export const MASKS = {
  none: () => true,
  causal: (i, j) => j <= i,
  window: (i, j, w) => Math.abs(i - j) < w,
  both: (i, j, w) => j <= i && i - j < w,
  beyond: (i, j, w) => i - j >= w, // the first w queries may attend to nothing
}

export const transpose = a => a[0].map((_, j) => a.map(row => row[j]))

export const matmul = (a, b) => {
  const columns = transpose(b)
  return a.map(row => columns.map(column => row.reduce((sum, x, l) => sum + x * column[l], 0)))
}

/** Shares of 1, for the scores of one row; all 0 where every score is −∞. */
export function softmax(scores) {
  const top = Math.max(...scores)
  if (top === -Infinity) return scores.map(() => 0)
  const powers = scores.map(score => Math.exp(score - top)) // at most 1: nothing overflows
  const sum = powers.reduce((a, b) => a + b)
  return powers.map(power => power / sum)
}

/** The columns in as many parts as there are heads, side by side. */
export function split(a, heads) {
  const width = a[0].length / heads
  return Array.from({ length: heads }, (_, h) => a.map(row => row.slice(h * width, (h + 1) * width)))
}

export function attend({ x, wq, wk, wv, scale, mask, window, heads }) {
  const [queries, keys, values] = [wq, wk, wv].map(w => matmul(x, w))
  const [q, k, v] = [queries, keys, values].map(a => split(a, heads))
  const scores = q.map((a, h) => matmul(a, transpose(k[h])).map((row, i) =>
    row.map((score, j) => MASKS[mask](i, j, window) ? scale * score : -Infinity)))
  const weights = scores.map(head => head.map(softmax))
  const found = weights.map((head, h) => matmul(head, v[h]))
  const contexts = x.map((_, i) => found.flatMap(head => head[i])) // the heads side by side again
  return { queries, keys, values, scores, weights, contexts }
}
