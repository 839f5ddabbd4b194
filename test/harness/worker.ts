/**
 * A process of `npm test` (config/tools/test.mjs): runs the files it is sent, one at a time, on servers that they share. Its
 * arguments are options of mocha; with `--quick` it refuses to start a process, so that no file among those that need no
 * server can start one unseen.
 */
import 'reflect-metadata'
import { ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { format } from 'node:util'
import Mocha from 'mocha'
import { root } from '#config/process/root.ts'
import { codeHooks } from '#test/harness/declared-code.ts'

/** What the parent sends. */
type Order = { file: string } | { end: true }

/** What came of one file. */
export interface Result {
  tests: number
  passing: number
  pending: number
  /** As mocha lists them. */
  failures: string[]
}

const require = createRequire(import.meta.url)
const { loadOptions } = require('mocha/lib/cli/options.cjs') as { loadOptions: (args: string[]) => Mocha.MochaOptions }
const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const options = loadOptions(args.filter((one) => one !== '--quick'))

/** The list of failures at the end of each file is made by hand: the parent shows it once more. */
class Block extends Mocha.reporters.Spec {
  override epilogue(): void {}
}

const { Base } = Mocha.reporters as unknown as {
  Base: { consoleLog: (...text: unknown[]) => void; list(tests: Mocha.Test[]): void }
}

function listed(failed: Mocha.Test[]): string[] {
  const lines: string[] = []
  const print = Base.consoleLog
  Base.consoleLog = (...text) => void lines.push(format(...text))
  for (const test of failed) Base.list([test])
  Base.consoleLog = print
  return lines.filter((line) => line !== '')
}

async function run(file: string): Promise<Result> {
  const mocha = new Mocha({ ...options, rootHooks: codeHooks, ...(options.reporter === 'spec' && { reporter: Block }) })
  mocha.addFile(path.join(root, file))
  await mocha.loadFilesAsync()
  const failed: Mocha.Test[] = []
  const stats = await new Promise<Mocha.Stats>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats!))
    runner.on('fail', (test) => failed.push(test))
  })
  const failures = listed(failed)
  if (failures.length > 0) console.log(failures.join('\n'))
  return { tests: stats.tests, passing: stats.passes, pending: stats.pending, failures }
}

async function take(order: Order): Promise<void> {
  if ('file' in order) {
    const unrun = (error: unknown): Result => {
      console.log(error)
      return { tests: 0, passing: 0, pending: 0, failures: [`  ${format(error)}\n`] }
    }
    const result = await run(order.file).catch(unrun)
    if (!isQuick) await (await import('#test/harness/product.ts')).endTestFile()
    process.send!(result)
    return
  }
  if (!isQuick) {
    const { mochaGlobalTeardown } = await import('#test/harness/global.ts')
    await mochaGlobalTeardown()
  }
  process.exit()
}

if (isQuick) {
  const refuse = () => {
    throw new Error('This file is one of those that need no server (--quick): it may start no process.')
  }
  Object.assign(ChildProcess.prototype, { spawn: refuse })
}
// What ends us with our parent keeps nobody alive: here work is waited for.
process.channel?.ref()
process.on('message', (order: Order) => void take(order))
