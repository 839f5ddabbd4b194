// How long test files take, and the budget that `npm run check` holds them to. Runs on a bare Node 20, so only `node:` imports stand here.
import fs from 'node:fs'
import path from 'node:path'
import { isDeepOnly, testFiles } from './test-files.mjs'

/** Limits of `npm test`, in seconds of one process: for one file, and for all of them (10 minutes on two cores). */
export const BUDGET = { file: 20, sum: 1200 }
/**
 * What is still over budget, in seconds: limits of today, which may only go down. The one world of all kills starts its engines again after each
 * kill; most of the others start the product, or are the first of a process that need Chromium.
 */
export const OVER_BUDGET = {
  sum: 1700,
  files: {
    'test/analytics/cost-month.test.ts': 25,
    'test/console/access.test.ts': 35,
    'test/flows/kill.test.ts': 120,
    'test/flows/lane-processes.test.ts': 30,
    'test/flows/probe.test.ts': 35,
    'test/http/what-if/rule.test.ts': 35,
  },
}

const tableOf = (root) => path.join(root, 'test', 'times.json')

/** Seconds of each file by tier, as measured last: `test` for `npm test`, `deep` for `npm run test:deep`. */
export function readTimes(root) {
  const file = tableOf(root)
  return { test: {}, deep: {}, ...(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) }
}

/** Notes tenths of a second of the files that were run; files that no longer exist leave the table. */
export function writeTimes(root, tier, run) {
  const table = readTimes(root)
  const there = new Set(testFiles(root))
  const ran = run
    .filter(({ file }) => there.has(file))
    .map(({ file, seconds }) => [file, Math.round(seconds * 10) / 10])
  table[tier] = { ...table[tier], ...Object.fromEntries(ran) }
  const sorted = (times) =>
    Object.entries(times)
      .filter(([file]) => there.has(file))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const tiers = Object.entries(table).map(([name, times]) => [name, Object.fromEntries(sorted(times))])
  fs.writeFileSync(tableOf(root), `${JSON.stringify(Object.fromEntries(tiers), undefined, 2)}\n`)
}

/**
 * What breaks the budget of `npm test`, one line each; none when it holds.
 * @param files of `npm test`
 * @param times their seconds by file
 * @param over limits of what is known to be over budget, in the form of OVER_BUDGET
 */
export function overBudget(files, times, over = { sum: BUDGET.sum, files: {} }) {
  const limitOf = (file) => over.files[file] ?? BUDGET.file
  const unmeasured = files.filter((file) => times[file] === undefined)
  const slow = files.filter((file) => times[file] > limitOf(file)).toSorted((a, b) => times[b] - times[a])
  const sum = files.reduce((all, file) => all + (times[file] ?? 0), 0)
  return [
    ...unmeasured.map((file) => `${file} has not been measured: run npm test -- --times ${file}`),
    ...slow.map(
      (file) => `${file} takes ${times[file].toFixed(1)} s, more than ${limitOf(file)} s: move cases to the deep tier`,
    ),
    ...(sum > over.sum ? [`all files of npm test take ${sum.toFixed(1)} s, more than ${over.sum} s`] : []),
  ]
}

/** Holds the project to the budget. @returns 0 when it holds */
export function checkBudget(root) {
  const files = testFiles(root).filter((file) => !isDeepOnly(root, file))
  const wrong = overBudget(files, readTimes(root).test, OVER_BUDGET)
  process.stdout.write(wrong.map((line) => `${line}\n`).join(''))
  return wrong.length === 0 ? 0 : 1
}
