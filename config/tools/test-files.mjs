// Which test files a run takes and in which order. Runs on a bare Node 20, so only `node:` imports stand here.
import fs from 'node:fs'
import path from 'node:path'

/** Modules without which no server can be started: servers are processes of their own, or the engine within one. */
const STARTERS = ['node:child_process', 'node:cluster', 'chdb']
/** The first line of a file that only the deep tier runs. */
const DEEP = '// tier: deep'

/** An error of who typed the command: shown without a stack. */
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

/** Longest first by the table, in seconds. A file that the table does not list counts as the mean of those it lists. */
export function longestFirst(files, times) {
  const known = Object.values(times)
  const mean = known.reduce((sum, one) => sum + one, 0) / (known.length || 1)
  const secondsOf = (file) => times[file] ?? mean
  return files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))
}

/**
 * The files of one shard of a run split over several machines. All shards together have each file once, and take about as long as each other.
 * @param files longest first
 * @param shard `i/n`, 1 <= i <= n
 * @throws Error when `shard` is anything else
 */
export function shardOf(files, shard) {
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(shard)?.map(Number) ?? []
  if (!(i >= 1 && i <= n)) throw usage(`--shard must be i/n with 1 <= i <= n, for example 1/4, got "${shard}"`)
  // There and back again, so that no shard always gets the longest of each round.
  return files.filter((_, at) => {
    const place = at % (2 * n)
    return (place < n ? place : 2 * n - 1 - place) === i - 1
  })
}

/** Whether a file can start no server: neither the file nor anything it imports, types apart, imports what starts one. */
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

/** What a file imports: names of packages as they are, files as paths from the root. */
function imports(root, file) {
  // Text that looks like an import may be part of a string, and then names no file.
  const text = fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8') : ''
  const found = text.matchAll(
    /(?:^import\s+(?!type\b)(?:[^'"`;]*?\sfrom\s+)?|^export\s+(?!type\b)[^'"`;]*?\sfrom\s+|\bimport\(\s*)['"]([^'"]+)['"]/gm,
  )
  return Array.from(found, ([, to]) => {
    if (to.startsWith('#')) return to.slice(1)
    return to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to
  })
}
