// Selects the test files of a run and their order. Runs on a plain Node 20, so it imports only `node:` modules.
import fs from 'node:fs'
import path from 'node:path'

/** Modules needed to start a server: servers are separate processes, or the embedded engine. */
const STARTERS = ['node:child_process', 'node:cluster', 'chdb']
/** First line of files that only the deep tier runs. */
const DEEP = '// tier: deep'

/** A usage error: shown without a stack. */
export const usage = (message) => Object.assign(new Error(message), { code: 'USAGE' })

/** Every test file below `test`, as a path from the root with forward slashes. */
export function testFiles(root) {
  const found = fs.readdirSync(path.join(root, 'test'), { recursive: true })
  return found.filter((file) => file.endsWith('.test.ts')).map((file) => path.posix.join('test', posix(file)))
}

const posix = (file) => file.split(path.sep).join('/')

/** Whether only the deep tier runs a file: its first line says so. */
export function isDeepOnly(root, file) {
  const handle = fs.openSync(path.join(root, file), 'r')
  const start = Buffer.alloc(DEEP.length + 1)
  fs.readSync(handle, start)
  fs.closeSync(handle)
  return start.toString().trimEnd() === DEEP
}

/** Longest first, by the table of seconds. A file that is not in the table counts as the mean of the others. */
export function longestFirst(files, times) {
  const known = Object.values(times)
  const mean = known.reduce((sum, one) => sum + one, 0) / (known.length || 1)
  const secondsOf = (file) => times[file] ?? mean
  return files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))
}

/**
 * The files of one shard of a run that is split over several machines. All shards together contain each file once and
 * take about equally long.
 * @param files longest first
 * @param shard `i/n`, 1 <= i <= n
 * @throws Error if `shard` has another form
 */
export function shardOf(files, shard) {
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(shard)?.map(Number) ?? []
  if (!(i >= 1 && i <= n)) throw usage(`--shard must be i/n with 1 <= i <= n, for example 1/4, got "${shard}"`)
  // Alternates the direction, so that no shard always gets the longest file of a round.
  return files.filter((_, at) => {
    const place = at % (2 * n)
    return (place < n ? place : 2 * n - 1 - place) === i - 1
  })
}

/**
 * Whether a file cannot start a server: neither the file nor any of its imports (except types) imports a module that
 * starts one.
 */
export function serverless(root) {
  const imported = new Map()
  const importsOf = (file) => {
    if (!imported.has(file)) imported.set(file, imports(root, file))
    return imported.get(file)
  }
  return (file) => {
    const reached = new Set([file])
    for (const one of reached) if (one.endsWith('.ts')) importsOf(one).forEach((to) => reached.add(to))
    return !STARTERS.some((name) => reached.has(name))
  }
}

/** The imports of a file: package names, and files as paths from the root. */
function imports(root, file) {
  // Text that looks like an import may be part of a string and then names no file.
  const text = fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8') : ''
  const found = text.matchAll(
    /(?:^import\s+(?!type\b)(?:[^'"`;]*?\sfrom\s+)?|^export\s+(?!type\b)[^'"`;]*?\sfrom\s+|\bimport\(\s*)['"]([^'"]+)['"]/gm,
  )
  return Array.from(found, ([, to]) => {
    if (to.startsWith('#')) return to.slice(1)
    return to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to
  })
}
