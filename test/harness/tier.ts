/**
 * How much of a test runs. `npm test` runs every promise in small amounts; `npm run test:deep` runs everything; with
 * `TEST_DEPTH=whole` amounts are so large that they take hours. A file whose first line is `// tier: deep` is left out of `npm test`
 * altogether (config/tools/test-files.mjs).
 */

const depth = process.env['TEST_DEPTH']
if (depth !== undefined && depth !== '' && depth !== 'deep' && depth !== 'whole')
  throw new Error(`TEST_DEPTH must be deep or whole, got "${depth}"`)

/** Whether this run is of the deep tier. */
export const isDeep = depth === 'deep' || depth === 'whole'

/** An amount that is free to choose, such as kills, seeds or machines: in `npm test`, in the deep tier, and at its largest. */
export const amount = (test: number, deep: number, whole: number): number =>
  depth === 'whole' ? whole : isDeep ? deep : test

/** A test that only the deep tier runs, in a file that `npm test` runs too. */
export const deepIt = (title: string, fn: (this: Mocha.Context) => unknown): Mocha.Test | undefined =>
  isDeep ? it(title, fn as Mocha.AsyncFunc) : undefined

/** A suite that only the deep tier runs, in a file that `npm test` runs too. */
export const deepDescribe = (title: string, fn: (this: Mocha.Suite) => void): void => {
  if (isDeep) describe(title, fn)
}

/** In `npm test` the first of a list of cases and the last, evenly spread if more than two are wanted; all of them in the deep tier. */
export function sample<T>(cases: readonly T[], count = 2): readonly T[] {
  if (isDeep || cases.length <= count) return cases
  const step = (cases.length - 1) / Math.max(1, count - 1)
  return Array.from({ length: count }, (_, i) => cases[Math.round(i * step)]!)
}
