// Durations of test files, and the time budget that `npm run check` enforces. Runs on a plain Node 20, so it imports
// only `node:` modules.
import fs from 'node:fs'
import path from 'node:path'
import { isDeepOnly, testFiles } from './test-files.mjs'

/** Limits of `npm test`, in seconds of one process: for one file, and for all of them (10 minutes on two cores). */
export const BUDGET = { file: 20, sum: 1200 }
/**
 * Current limits for what still exceeds the budget, in seconds; they may only be lowered. The test of all crash points
 * restarts its engines after each kill; most of the others start the product, or are the first in a process to need
 * Chromium.
 */
export const OVER_BUDGET = {
  sum: 1500,
  files: {
    'test/console/access.test.ts': 35,
    'test/flows/kill.test.ts': 110,
    'test/flows/lane-processes.test.ts': 30,
    'test/flows/probe.test.ts': 35,
  },
}

const tableOf = (root) => path.join(root, 'test', 'times.json')

/** Last measured seconds of each file by tier: `test` for `npm test`, `deep` for `npm run test:deep`. */
export function readTimes(root) {
  const file = tableOf(root)
  return { test: {}, deep: {}, ...(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) }
}

/**
 * Records the durations of a run, rounded to tenths of a second; files that no longer exist are removed from the table.
 */
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
 * Violations of the budget of `npm test`, one line each; empty if there are none.
 * @param files of `npm test`
 * @param times seconds by file
 * @param over limits for known violations, in the form of OVER_BUDGET
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

/** Checks the budget. @returns 0 if it is met */
export function checkBudget(root) {
  const files = testFiles(root).filter((file) => !isDeepOnly(root, file))
  const wrong = overBudget(files, readTimes(root).test, OVER_BUDGET)
  process.stdout.write(wrong.map((line) => `${line}\n`).join(''))
  return wrong.length === 0 ? 0 : 1
}
