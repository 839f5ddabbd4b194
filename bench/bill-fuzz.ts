/**
 * Mutated bills of every format, read by the product and by an independent reader in Python
 * (`harness/bill-fuzz/judge.py`): every row gives the same result, or is refused with a reason and its line, or has a
 * warning.
 * Usage: npm run -s bench -- bill-fuzz [--files 10000] [--seed 1] [--data ../shared] [--python python3] [--keep]
 * Needs Python with pyarrow, and the recorded bills. Exits 1 if a row silently gave a different result.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { bases } from './harness/bill-fuzz/base.ts'
import { compared, type Judged } from './harness/bill-fuzz/compare.ts'
import { made, type Made } from './harness/bill-fuzz/make.ts'
import { readBill } from './harness/bill-fuzz/read.ts'
import { random } from '#test/harness/load.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    data: { type: 'string', default: '../shared' },
    python: { type: 'string', default: 'python3' },
    keep: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bills-'))
const say = (line: string) => process.stdout.write(`${line}\n`)

async function python(mode: string, lines: readonly string[]): Promise<string[]> {
  const judge = new URL('harness/bill-fuzz/judge.py', import.meta.url).pathname
  const child = spawn(values.python, [judge, mode], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const out = await text(child.stdout)
  if ((await ended) !== 0) throw new Error(`The judge failed (${mode}).`)
  return out.split('\n').slice(0, -1)
}

const found = bases(values.data)
if (found.length === 0) throw new Error(`There are no recorded bills in ${values.data}.`)
const next = random(Number(values.seed))
const files: Made[] = Array.from({ length: Number(values.files) }, (_, n) => made(next, found, folder, n))
await python(
  'pack',
  files.flatMap(({ packed }) => (packed ? [JSON.stringify(packed)] : [])),
)
for (const { path: file, damage } of files) {
  if (!damage) continue
  copyFileSync(file, `${file}.whole`)
  writeFileSync(file, damage(readFileSync(file)))
}
const judge = async (paths: readonly string[]) =>
  (await python('judge', paths)).map((line) => JSON.parse(line) as Judged)
const judged = await judge(files.map(({ path: file }) => file))
// What is damaged where nothing depends on it comes to what it was.
const lost = [...files.entries()].filter(([n, { damage }]) => damage && judged[n]!.error !== undefined)
const whole = await judge(lost.map(([, { path: file }]) => `${file}.whole`))
for (const [i, [n]] of lost.entries()) judged[n] = { ...whole[i]!, error: judged[n]!.error!, isWhole: true }

const counts = new Map<string, Map<string, number>>()
const count = (group: string, what: string) => {
  const known = counts.get(group) ?? new Map<string, number>()
  counts.set(group, known.set(what, (known.get(what) ?? 0) + 1))
}
let wrong = 0
for (const [n, file] of files.entries()) {
  const ours = await readBill(file.path, n % 2 === 1)
  const { outcome, notes } = compared(ours, judged[n]!)
  for (const group of [`format ${file.format}`, `kind ${file.kind}`, 'all']) count(group, outcome)
  for (const note of new Set(notes.map((one) => one.replaceAll(/\d+/g, '#')))) count('notes', note)
  if (outcome !== 'differs' && !values.keep) continue
  if (outcome === 'differs') wrong++
  if (outcome === 'differs' || notes.length > 0)
    say(`${outcome} ${file.path} ${file.format} ${file.kind}: ${notes.slice(0, 4).join('; ')}`)
}
for (const [group, known] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const total = [...known.values()].reduce((sum, each) => sum + each, 0)
  const parts = [...known].toSorted(([, a], [, b]) => b - a).map(([what, each]) => `${what} ${each}`)
  say(`${group}: ${total} (${parts.join(group === 'notes' ? '\n  ' : ', ')})`)
}
if (!values.keep) rmSync(folder, { recursive: true })
process.exitCode = wrong > 0 ? 1 : 0
