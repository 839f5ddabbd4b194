/** How `npm test` shares files out, and what it makes of processes that do not come back. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/root.ts'
import type { Result } from '#test/harness/worker.ts'

interface Ran extends Result {
  file: string
  seconds: number
}
interface Runner {
  testFiles(root: string): string[]
  longestFirst(files: string[], times: Record<string, number>): string[]
  serverless(root: string): (file: string) => boolean
  runFiles(files: string[], how: object): Promise<Ran[]>
  summary(run: Ran[], seconds: number): string
}
const runner = (await import(path.join(root, 'config', 'test.mjs'))) as Runner

describe('the runner of all tests', () => {
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'tidemark-runner-'))))
  afterEach(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): string => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
    return path.relative(root, path.join(folder, name))
  }

  it('begins with what takes longest; a file that no time is known of counts as the mean', () => {
    const times = { 'a.test.ts': 1, 'b.test.ts': 9, 'c.test.ts': 2 }
    const files = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'new.test.ts']
    expect(runner.longestFirst(files, times)).to.deep.equal(['b.test.ts', 'new.test.ts', 'c.test.ts', 'a.test.ts'])
  })

  it('takes for one that needs no server a file that has nothing to start one with, however far away', () => {
    write('test/none.test.ts', "import { far } from '#engine/circle.ts'\nimport type { x } from './start.ts'\n")
    write('test/type.test.ts', "import type {\n  ChildProcess,\n} from 'node:child_process'\n")
    write('test/far.test.ts', "import {\n  one,\n  two,\n} from '#engine/far.ts'\n")
    write('test/late.test.ts', "const start = () => import('./start.ts')\n")
    write('test/again.test.ts', "export * from './start.ts'\n")
    write('test/start.ts', "import { spawn } from 'node:child_process'\n")
    write('engine/far.ts', "import '#engine/circle.ts'\nimport '#test/start.ts'\n")
    write('engine/circle.ts', "import { a } from './round.ts'\n")
    write('engine/round.ts', "import { b } from './circle.ts'\n")
    const files = runner.testFiles(folder).toSorted()
    expect(files).to.have.length(5)
    expect(files.filter(runner.serverless(folder))).to.deep.equal(['test/none.test.ts', 'test/type.test.ts'])
  })

  it('knows which of the tests here start servers, by themselves, by the harness or by the command line', () => {
    const isServerless = runner.serverless(root)
    const quick = ['test/engine/decimal.test.ts', 'test/sim/sim.test.ts', 'test/layers.test.ts']
    const others = ['test/flows/billing.test.ts', 'test/config/start.test.ts', 'test/analytics/queries.test.ts']
    const found = runner.testFiles(root).filter(isServerless)
    expect(found).to.include.members(quick)
    expect(others.filter((file) => found.includes(file))).to.deep.equal([])
  })

  describe('with processes that run them', () => {
    /** Ends with what came of the files, in order, and all that was printed. */
    async function runAll(files: string[], more: object = {}): Promise<{ ran: Ran[]; printed: string }> {
      let printed = ''
      const ran = await runner.runFiles(files, {
        folder,
        begin: (out: number) => {
          const worker = ['--disable-warning=ExperimentalWarning', path.join(root, 'test/harness/worker.ts'), '--quick']
          const child = spawn(process.execPath, worker, { cwd: root, stdio: ['ignore', out, out, 'ipc'] })
          return {
            child,
            ended: new Promise((resolve) =>
              child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!])),
            ),
          }
        },
        workers: 1,
        isBailing: false,
        print: (text: string) => void (printed += text),
        ...more,
      })
      return { ran, printed }
    }
    const good = () => write('good.test.mjs', "it('is good', () => {}); it('is to be done')")
    const bad = () => write('bad.test.mjs', "it('is bad', () => { console.log('seen'); throw new Error('so bad') })")

    it('counts what passes and lists what fails, with all that a file printed in one piece', async () => {
      const { ran, printed } = await runAll([bad(), good()])
      expect(
        ran.map(({ tests, passing, pending, failures }) => [tests, passing, pending, failures.length]),
      ).to.deep.equal([
        [1, 0, 0, 1],
        [2, 1, 1, 0],
      ])
      expect(printed).to.match(/bad\.test\.mjs {2}[\d.]+ s\nseen\n.*is bad[^]*so bad[^]*good\.test\.mjs[^]*is good/)
      const told = runner.summary(ran, 3)
      expect(told).to.match(/1 passing, 1 failing, 1 pending in 2 files, 3 s\n[^]*bad\.test\.mjs\n[^]*so bad/)
      expect(told).to.match(/slowest files\n +[\d.]+ s {2}\S+\n +[\d.]+ s {2}\S+\n$/)
    })

    it('fails the file in which a process dies, and goes on with another one', async () => {
      const dying = write('dying.test.mjs', "it('dies', () => process.exit(3))")
      const { ran } = await runAll([dying, good()])
      expect(ran.map(({ file, failures }) => [path.basename(file), ...failures])).to.deep.equal([
        ['dying.test.mjs', `  the process ended with status 3 while it ran ${dying}\n`],
        ['good.test.mjs'],
      ])
    })

    it('begins nothing more once somebody has stopped it', async () => {
      const stopped = write(
        'stopped.test.mjs',
        "it('is stopped', () => { process.kill(process.pid, 'SIGTERM'); return new Promise(() => {}) })",
      )
      const { ran } = await runAll([stopped, good()])
      expect(ran.map(({ file, failures }) => [path.basename(file), ...failures])).to.deep.equal([
        ['stopped.test.mjs', `  the process ended with status 143 while it ran ${stopped}\n`],
      ])
    })

    it('fails a file that cannot be loaded', async () => {
      const { ran } = await runAll([write('broken.test.mjs', 'throw new Error("no such thing")')])
      expect(ran[0]!.failures[0]).to.contain('no such thing')
    })

    it('begins no file behind one that failed, asked to bail out', async () => {
      const { ran } = await runAll([bad(), good()], { isBailing: true })
      expect(ran.map(({ file }) => path.basename(file))).to.deep.equal(['bad.test.mjs'])
    })

    it('fails a file that starts a process unseen, where none is to need a server', async () => {
      const hidden = "process.getBuiltinModule('child_process').spawn('true')"
      const { ran } = await runAll([write('hidden.test.mjs', `it('starts', () => void ${hidden})`)])
      expect(ran[0]!.failures[0]).to.contain('it may start no process')
    })
  })
})
