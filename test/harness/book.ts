/** Chapters of the book: what a reader types, one shell through all of them, and what comes back. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Suite } from 'mocha'
import { root } from '#config/process/root.ts'
import { until } from '#test/harness/toy.ts'

const folder = path.join(root, 'docs/book')

export interface Step {
  /** Line of the chapter, from 1. */
  line: number
  /** What is typed. */
  typed: string
  /** What is printed, where the chapter shows it: `…` stands for anything. */
  shown: string | undefined
}

export interface Chapter {
  name: string
  steps: Step[]
}

/** All chapters in their order. */
export const chapters = (): Chapter[] =>
  readdirSync(folder)
    .filter((name) => /^\d\d-.*\.md$/.test(name))
    .toSorted()
    .map((name) => ({ name, steps: stepsOf(readFileSync(path.join(folder, name), 'utf8')) }))

/** Blocks of `sh`, each with the block of `text` that follows it at once. */
export function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm)]
  return blocks.map(({ 1: typed, 2: shown, index }) => ({
    line: text.slice(0, index).split('\n').length,
    typed: typed!,
    shown,
  }))
}

/** A suite with a shell and curl. Without them it is skipped with one line, and fails where CI runs it. */
export function describeShell(title: string, fn: (this: Suite) => void): void {
  const lacking = ['bash', 'curl'].find((name) => spawnSync(name, ['--version']).status !== 0)
  if (lacking === undefined) {
    describe(title, fn)
    return
  }
  const why = `${lacking}: SKIPPED, no ${lacking} here`
  describe(title, () => {
    if (process.env['CI']) it(`needs ${lacking}`, () => Promise.reject(new Error(why)))
    else it.skip(why)
  })
}

/** Whether what was printed is as shown. */
export function isAsShown(printed: string, shown: string): boolean {
  const lines = shown.trimEnd().split('\n')
  const pattern = lines.map((line) => (line === '…' ? '[^]*?' : line.split('…').map(literal).join('.*'))).join('\n')
  return new RegExp(`^${pattern}$`).test(printed.trimEnd())
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** What keeps running: it is begun, and the shell goes on once it has said all. */
const staysUp = /(^|\s)npm start\b/
const isUp = /^(Tidemark is running at[^]*\n\n[^]*\n|Running the .*\n)/m
const stepSeconds = 300

export class Shell {
  readonly #child
  #out = ''
  #isOver = false
  #steps = 0
  readonly #jobs: number[] = []
  readonly #logs

  /** `logs`: a folder for what is printed by what keeps running. */
  constructor(env: NodeJS.ProcessEnv, logs: string) {
    this.#logs = logs
    this.#child = spawn('bash', ['--noprofile', '--norc'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#out += text))
    this.#child.on('exit', () => (this.#isOver = true))
    // Each job is a group of its own, which ends as a whole; the first thing that fails ends the shell.
    this.#child.stdin.write('set -em -o pipefail\n')
  }

  /** Types it. @returns what was printed. @throws Error where something of it fails, with what was printed */
  async run(typed: string): Promise<string> {
    return staysUp.test(typed) ? this.#begin(typed) : this.#type(typed)
  }

  async #type(typed: string): Promise<string> {
    const end = `end of step ${++this.#steps}`
    this.#out = ''
    this.#child.stdin.write(`{\n${typed}\n} 2>&1\necho '${end}'\n`)
    const isDone = () => this.#out.includes(`${end}\n`)
    await until(
      () => `${end}: ${this.#out}`,
      () => this.#isOver || isDone(),
      stepSeconds,
    )
    if (!isDone()) throw new Error(`it failed, having printed: ${this.#out}`)
    return this.#out.slice(0, this.#out.indexOf(end))
  }

  /** @returns what it had printed when it listened */
  async #begin(typed: string): Promise<string> {
    const log = path.join(this.#logs, `${++this.#steps}`)
    const pid = Number(await this.#type(`{ ${typed.trim()}\n} > ${log} 2>&1 &\necho $!`))
    this.#jobs.push(pid)
    await until(
      () => `a start: ${readFileSync(log, 'utf8')}`,
      () => isUp.test(readFileSync(log, 'utf8')),
      stepSeconds,
    )
    return readFileSync(log, 'utf8')
  }

  /** Ends what was begun, and the shell. */
  async close(): Promise<void> {
    this.#jobs.forEach((pid) => tryKill(-pid))
    await until('the end of what was begun', () => !this.#jobs.some((pid) => isThere(-pid)))
    this.#child.kill('SIGKILL')
    await until('the end of the shell', () => this.#isOver)
  }
}

function tryKill(pid: number): void {
  if (isThere(pid)) process.kill(pid, 'SIGTERM')
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
