// `npm test` and `npm run test:deep`: which files are run, and what is reported. Runs on a plain Node 20, so it imports
// only `node:` modules.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepOnly, longestFirst, serverless, shardOf, testFiles, usage } from './test-files.mjs'
import { readTimes, writeTimes } from './test-times.mjs'
import { runFiles } from './test-workers.mjs'

const SLOWEST = 10
/** Seconds by the table; `--quick` skips files that take longer. Without them it takes half a minute on two cores. */
const QUICK_MAX_SECONDS = 1.5

/**
 * Runs test files in as many processes as the machine has cores: first those without a server, and the longest of each
 * kind first.
 * @param tier `test`: every promise, in small amounts. `deep`: everything
 * @param rest `--quick`: only short files without a server. `--times`: records durations. `--shard i/n`: one of n
 * parts. Words without a leading dash select files whose path contains one of them. All other arguments are mocha
 * options
 * @param tools `begin` starts a process of this Node; `workers` is the number of processes as text, or undefined
 * @returns 0 if all tests have passed
 */
export async function test(root, tier, rest, { begin, workers }) {
  const { patterns, shard, isQuick, isTiming, options } = readArguments(rest)
  const times = readTimes(root)
  const known = { ...times.deep, ...times.test, ...times[tier] }
  const secondsOf = (file) => known[file] ?? 1
  const fitting = chooseFiles(root, tier, { patterns, isQuick })
  const chosen = isQuick
    ? fitting.filter((file) => patterns.length > 0 || secondsOf(file) <= QUICK_MAX_SECONDS)
    : fitting
  // Files without a server run first, while their process has started no servers yet: they may replace globals that
  // servers use.
  const isServerless = serverless(root)
  const ordered = [
    ...longestFirst(chosen.filter(isServerless), known),
    ...longestFirst(
      chosen.filter((file) => !isServerless(file)),
      known,
    ),
  ]
  const files = shard === undefined ? ordered : shardOf(ordered, shard)
  const since = performance.now()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-run-'))
  const run = await runFiles(files, {
    folder,
    begin: (out) => begin([...(isQuick ? ['--quick'] : []), ...options], out),
    // One more than cores: files wait for their servers a third of the time.
    workers: Number(workers) || os.availableParallelism() + 1,
    isBailing: options.some((one) => ['-b', '--bail'].includes(one)),
    print: (text) => process.stdout.write(text),
    secondsOf,
  })
  fs.rmSync(folder, { recursive: true, force: true })
  process.stdout.write(summary(run, (performance.now() - since) / 1000))
  if (isTiming) writeTimes(root, tier, run)
  return run.every(({ failures }) => failures.length === 0) ? 0 : 1
}

/** mocha options that take a value. */
const WITH_VALUE = /^(-[gftsR]|--(f?grep|timeout|retries|reporter|slow))$/

export function readArguments(rest) {
  const color = process.stdout.isTTY ? ['--color'] : []
  const read = { patterns: [], shard: undefined, isQuick: false, isTiming: false, options: color }
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]
    if (word === '--quick') read.isQuick = true
    else if (word === '--times') read.isTiming = true
    else if (word === '--shard') read.shard = rest[++i] ?? ''
    else if (word.startsWith('--shard=')) read.shard = word.slice('--shard='.length)
    else if (WITH_VALUE.test(word)) read.options.push(word, ...rest.slice(++i, i + 1))
    else if (word.startsWith('-')) read.options.push(word)
    else read.patterns.push(path.posix.normalize(word))
  }
  return read
}

/**
 * The files of a run, unsorted.
 * @throws Error naming a pattern that matches no file, so that a misspelled one does not pass
 */
export function chooseFiles(root, tier, { patterns, isQuick }) {
  const all = testFiles(root).filter((file) => patterns.length > 0 || tier === 'deep' || !isDeepOnly(root, file))
  const files = isQuick ? all.filter(serverless(root)) : all
  const unused = patterns.filter((pattern) => !files.some((file) => file.includes(pattern)))
  if (unused.length > 0) throw usage(`no test file has "${unused.join('" or "')}" in its path`)
  return patterns.length === 0 ? files : files.filter((file) => patterns.some((pattern) => file.includes(pattern)))
}

/** The final report: counts, all failures again, and the slowest files. */
export function summary(run, seconds) {
  const sum = (name) => run.reduce((all, one) => all + one[name], 0)
  const failed = run.filter(({ failures }) => failures.length > 0)
  const failing = failed.reduce((all, { failures }) => all + failures.length, 0)
  const slowest = run.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  return [
    '',
    `${sum('passing')} passing, ${failing} failing, ${sum('pending')} pending in ${run.length} files, ${seconds.toFixed(0)} s`,
    ...failed.flatMap(({ file, failures }) => ['', file, ...failures]),
    '',
    'slowest files',
    ...slowest.map((one) => `${one.seconds.toFixed(1).padStart(7)} s  ${one.file}`),
    '',
  ].join('\n')
}
