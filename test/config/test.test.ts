/** How `npm test` shares files out, and what it makes of processes that do not come back. */
import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { deepIt } from '#test/harness/tier.ts'
import type { Result } from '#test/harness/worker.ts'

interface Ran extends Result {
  file: string
  seconds: number
}
type Times = Record<string, number>
interface Files {
  testFiles(root: string): string[]
  isDeepOnly(root: string, file: string): boolean
  longestFirst(files: string[], times: Times): string[]
  shardOf(files: string[], shard: string): string[]
  serverless(root: string): (file: string) => boolean
}
interface TimesTable {
  readTimes(root: string): { test: Times; deep: Times }
  writeTimes(root: string, tier: 'test' | 'deep', run: { file: string; seconds: number }[]): void
  overBudget(files: string[], times: Times, over?: { sum: number; files: Times }): string[]
}
interface Workers {
  runFiles(files: string[], options: object): Promise<Ran[]>
}
interface Asked {
  patterns: string[]
  isQuick: boolean
}
interface Command {
  readArguments(rest: string[]): Asked & { shard?: string; isTiming: boolean; options: string[] }
  chooseFiles(root: string, tier: 'test' | 'deep', asked: Asked): string[]
  summary(run: Ran[], seconds: number): string
}
const load = (name: string): Promise<unknown> => import(path.join(root, 'config', name))
const files = (await load('test-files.mjs')) as Files
const table = (await load('test-times.mjs')) as TimesTable
interface Folders {
  makeRunFolders(places: { temporary: string; memory?: string }): { env: Record<string, string>; remove(): void }
}
const folders = (await load('test-folder.mjs')) as Folders
const workers = (await load('test-workers.mjs')) as Workers
const command = (await load('test.mjs')) as Command

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
    const all = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'new.test.ts']
    expect(files.longestFirst(all, times)).to.deep.equal(['b.test.ts', 'new.test.ts', 'c.test.ts', 'a.test.ts'])
  })

  it('takes for one that needs no server a file that has nothing to start one with, however far away', () => {
    write('test/none.test.ts', "import { far } from '#engine/circle.ts'\nimport type { x } from './start.ts'\n")
    write('test/type.test.ts', "import type {\n  ChildProcess,\n} from 'node:child_process'\n")
    write('test/far.test.ts', "import {\n  one,\n  two,\n} from '#engine/far.ts'\n")
    write('test/late.test.ts', "const start = () => import('./start.ts')\n")
    write('test/again.test.ts', "export * from './start.ts'\n")
    write('test/start.ts', "import { spawn, spawnSync } from 'node:child_process'\n")
    write('engine/far.ts', "import '#engine/circle.ts'\nimport '#test/start.ts'\n")
    write('engine/circle.ts', "import { a } from './round.ts'\n")
    write('engine/round.ts', "import { b } from './circle.ts'\n")
    const all = files.testFiles(folder).toSorted()
    expect(all).to.have.length(5)
    expect(all.filter(files.serverless(folder))).to.deep.equal(['test/none.test.ts', 'test/type.test.ts'])
  })

  it('knows which of the tests here start servers, by themselves, by the harness or by the command line', () => {
    const isServerless = files.serverless(root)
    const quick = ['test/engine/decimal.test.ts', 'test/sim/sim.test.ts', 'test/layers.test.ts']
    const others = ['test/flows/billing.test.ts', 'test/config/start.test.ts', 'test/analytics/queries.test.ts']
    const found = files.testFiles(root).filter(isServerless)
    expect(found).to.include.members(quick)
    expect(others.filter((file) => found.includes(file))).to.deep.equal([])
  })

  describe('chooses', () => {
    beforeEach(() => {
      write('test/a/one.test.ts', "it('is', () => {})\n")
      write('test/a/two.test.ts', "// tier: deep\nit('is', () => {})\n")
      write('test/b/three.test.ts', "// tier: deeper\nimport 'node:child_process'\n")
    })
    const chosen = (tier: 'test' | 'deep', ...rest: string[]) =>
      command.chooseFiles(folder, tier, command.readArguments(rest)).toSorted()

    it('for npm test all files but those whose first line says that they are deep', () => {
      expect(chosen('test')).to.deep.equal(['test/a/one.test.ts', 'test/b/three.test.ts'])
    })

    it('for npm run test:deep all files', () => {
      expect(chosen('deep')).to.deep.equal(['test/a/one.test.ts', 'test/a/two.test.ts', 'test/b/three.test.ts'])
    })

    it('files by parts of their paths, deep ones included, and refuses a part that none has', () => {
      expect(chosen('test', './test/a')).to.deep.equal(['test/a/one.test.ts', 'test/a/two.test.ts'])
      expect(chosen('deep', 'two', 'three')).to.deep.equal(['test/a/two.test.ts', 'test/b/three.test.ts'])
      expect(() => chosen('test', 'two', 'twoo')).to.throw('no test file has "twoo" in its path')
    })

    it('with --quick only files that need no server', () => {
      expect(chosen('test', '--quick')).to.deep.equal(['test/a/one.test.ts'])
    })

    it('and passes on to mocha what is not its own, values included', () => {
      const rest = ['--grep', 'one two', '--times', '--shard', '2/3', 'a.test.ts', '-b', '--quick']
      const read = command.readArguments(rest)
      expect({ ...read, options: read.options.filter((one) => one !== '--color') }).to.deep.equal({
        patterns: ['a.test.ts'],
        shard: '2/3',
        isQuick: true,
        isTiming: true,
        options: ['--grep', 'one two', '-b'],
      })
    })
  })

  describe('keeps its files in folders of its own', () => {
    const there = () => readdirSync(folder).filter((name) => name.startsWith('tidemark-run-'))

    it('which are gone at the end, whatever is in them', () => {
      const run = folders.makeRunFolders({ temporary: folder })
      expect(there()).to.have.length(1)
      expect(run.env['TMPDIR']).to.equal(path.join(folder, there()[0]!))
      mkdirSync(path.join(run.env['TMPDIR']!, 'a/b'), { recursive: true })
      run.remove()
      expect(there()).to.deep.equal([])
    })

    it('and takes away those of runs that were killed, and no others', () => {
      const gone = spawnSync(process.execPath, ['-e', '']).pid
      mkdirSync(path.join(folder, `tidemark-run-${gone}-x`))
      mkdirSync(path.join(folder, `tidemark-run-${process.pid}-x`))
      folders.makeRunFolders({ temporary: folder }).remove()
      expect(there()).to.deep.equal([`tidemark-run-${process.pid}-x`])
    })

    it('in memory too, unless it has less than 4 GiB free: then on the disk alone', () => {
      const small = '/dev/shm-that-is-not-there'
      expect(Object.keys(folders.makeRunFolders({ temporary: folder, memory: small }).env)).to.deep.equal(['TMPDIR'])
      const room = statfsSync(folder)
      const isLarge = room.bavail * room.bsize >= 4 * 2 ** 30
      const run = folders.makeRunFolders({ temporary: folder, memory: folder })
      run.remove()
      expect('TEST_MEMORY_DIR' in run.env).to.equal(isLarge)
    })
  })

  it('splits a run into shards that have each file once, the longest spread over all', () => {
    const all = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8']
    expect(['1/3', '2/3', '3/3'].map((shard) => files.shardOf(all, shard))).to.deep.equal([
      ['f1', 'f6', 'f7'],
      ['f2', 'f5', 'f8'],
      ['f3', 'f4'],
    ])
    for (const wrong of ['', '0/3', '4/3', '1', '1/0', 'a/b'])
      expect(() => files.shardOf(all, wrong), wrong).to.throw(`--shard must be i/n with 1 <= i <= n`)
  })

  it('holds the budget: every file measured, none above 20 s, and all of them within 1,200 s', () => {
    const many = Array.from({ length: 61 }, (_, i) => `f${i}`)
    const times = Object.fromEntries(many.map((file) => [file, 20]))
    expect(table.overBudget(many.slice(1), times)).to.deep.equal([])
    expect(table.overBudget(many, times)).to.deep.equal(['all files of npm test take 1220.0 s, more than 1200 s'])
    expect(table.overBudget(['new', 'f1', 'f2'], { f1: 20, f2: 20.1 })).to.deep.equal([
      'new has not been measured: run npm test -- --times new',
      'f2 takes 20.1 s, more than 20 s: move cases to the deep tier',
    ])
    const over = { sum: 30, files: { f1: 25 } }
    expect(table.overBudget(['f1'], { f1: 24.9 }, over)).to.deep.equal([])
    expect(table.overBudget(['f1', 'f2'], { f1: 25.1, f2: 5 }, over)).to.deep.equal([
      'f1 takes 25.1 s, more than 25 s: move cases to the deep tier',
      'all files of npm test take 30.1 s, more than 30 s',
    ])
  })

  it('notes tenths of a second of files that ran, keeps the times of others, and forgets files that are gone', () => {
    write('test/a.test.ts', '')
    write('test/b.test.ts', '')
    write('test/times.json', '{"test":{"test/b.test.ts":2.5,"test/gone.test.ts":9},"deep":{"test/a.test.ts":70}}')
    table.writeTimes(folder, 'test', [
      { file: 'test/a.test.ts', seconds: 1.26 },
      { file: 'the end of a process', seconds: 0 },
    ])
    expect(table.readTimes(folder)).to.deep.equal({
      test: { 'test/a.test.ts': 1.3, 'test/b.test.ts': 2.5 },
      deep: { 'test/a.test.ts': 70 },
    })
  })

  describe('with processes that are made up', () => {
    /** What comes of a file: nothing, where its process is not to come back. */
    const answers: Record<string, object> = {
      good: { tests: 1, passing: 1, pending: 0, failures: [] },
      bad: { tests: 1, passing: 0, pending: 0, failures: ['so bad'] },
    }
    class Made extends EventEmitter {
      send({ file = '', end }: { file?: string; end?: true }): void {
        if (end) this.emit('end', 0)
        else if (file in answers) this.emit('message', answers[file])
      }
      kill(signal: keyof typeof constants.signals): boolean {
        return this.emit('end', 128 + constants.signals[signal])
      }
    }
    async function runAll(all: string[], more: object = {}): Promise<{ ran: Ran[]; printed: string; begun: number }> {
      let [printed, begun] = ['', 0]
      const begin = () => {
        begun++
        const child = new Made()
        return { child, ended: new Promise((resolve) => child.once('end', resolve)) }
      }
      const print = (text: string) => void (printed += text)
      const ran = await workers.runFiles(all, { folder, begin, workers: 1, isBailing: false, print, ...more })
      return { ran, printed, begun }
    }

    it('kills one in which a file never ends, fails the file, and goes on with another one', async () => {
      const { ran, begun } = await runAll(['good', 'hanging', 'good'], { fileMaxMs: 20 })
      expect(ran.map(({ file, failures }) => [file, ...failures])).to.deep.equal([
        ['good'],
        ['hanging', '  hanging did not end within 0.02 s: its process was killed\n'],
        ['good'],
      ])
      expect(begun).to.equal(2)
    })

    it('says after each file how many are done, and how long the others will take at the speed so far', async () => {
      const { printed } = await runAll(['good', 'good'], { secondsOf: () => 1_000_000 })
      expect(printed).to.match(/^\ngood {2}[\d.]+ s {2}\(1 of 2 files, about \d+ s left\)\n/)
      expect(printed).to.match(/\ngood {2}[\d.]+ s {2}\(2 of 2 files, about 0 s left\)\n$/)
    })

    it('begins no file behind one that failed, asked to bail out', async () => {
      expect((await runAll(['good', 'bad', 'good'], { isBailing: true })).ran.map(({ file }) => file)).to.deep.equal([
        'good',
        'bad',
      ])
      expect((await runAll(['bad', 'good'])).ran.map(({ file }) => file)).to.deep.equal(['bad', 'good'])
    })
  })

  describe('with processes that run them', () => {
    /** Ends with what came of the files, in order, and all that was printed. */
    async function runAll(all: string[], more: object = {}): Promise<{ ran: Ran[]; printed: string }> {
      let printed = ''
      const ran = await workers.runFiles(all, {
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
      expect(printed).to.match(
        /bad\.test\.mjs {2}[\d.]+ s {2}\(1 of 2 files[^\n]*\nseen\n.*is bad[^]*so bad[^]*good\.test\.mjs[^]*is good/,
      )
      const told = command.summary(ran, 3)
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

    deepIt('kills a process that is busy for ever, fails the file, and goes on with another one', async () => {
      const hanging = write('hanging.test.mjs', "it('hangs', () => { for (;;); })")
      const { ran } = await runAll([hanging, good()], { fileMaxMs: 6000 })
      expect(ran.map(({ file, failures }) => [path.basename(file), ...failures])).to.deep.equal([
        ['hanging.test.mjs', `  ${hanging} did not end within 6 s: its process was killed\n`],
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

    it('fails a file that starts a process unseen, where none is to need a server', async () => {
      const hidden = "process.getBuiltinModule('child_process').spawn('true')"
      const { ran } = await runAll([write('hidden.test.mjs', `it('starts', () => void ${hidden})`)])
      expect(ran[0]!.failures[0]).to.contain('it may start no process')
    })
  })
})
